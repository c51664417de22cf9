import { expect, it } from 'vitest';
import { FETCHER_VARIABLES, namesFleet, readFetcherConfig } from './fetcher-config.ts';

it('has the defaults of the seed, durations in milliseconds', () => {
  expect(readFetcherConfig({})).toMatchObject({
    redisUrl: 'redis://localhost:6379',
    kafkaBootstrapServers: 'localhost:9092',
    inputQueue: 'crawler_queue',
    dlqQueue: 'page_fetcher_dlq',
    webpageLogTopic: 'webpage_log',
    requestTimeoutMs: 30_000,
    maxRetries: 3,
    retryBackoffBaseMs: 2_000,
    userAgent: 'OttoBot/1.0',
    maxRedirects: 5,
    cacheTtlMs: 3_600_000,
    ratePerSecond: 1,
    breakerFailureThreshold: 5,
    breakerInitialBackoffMs: 30_000,
    breakerMaxBackoffMs: 300_000,
    breakerBackoffMultiplier: 2,
    robotsTxtCacheTtlMs: 86_400_000,
    pollTimeoutMs: 5_000,
    outboxLimit: 100_000,
  });
});

it('reads what the environment says', () => {
  const config = readFetcherConfig({
    PAGE_FETCHER_RATE_LIMIT_PER_SECOND: 'off',
    PAGE_FETCHER_REQUEST_TIMEOUT_SECONDS: '0.5',
    PAGE_FETCHER_ALLOW_HOSTS: '127.0.0.1:8017, court.local',
    HOME: '/nobody',
  });
  expect(config).toMatchObject({ ratePerSecond: 'off', requestTimeoutMs: 500 });
  expect(config.allowHosts).toEqual(['127.0.0.1:8017', 'court.local']);
});

it.each([
  ['REDIS_URL', 'localhost:6379'],
  ['KAFKA_BOOTSTRAP_SERVERS', 'localhost'],
  ['KAFKA_BOOTSTRAP_SERVERS', '::1:9092'],
  ['KAFKA_BOOTSTRAP_SERVERS', '[::1]'],
  ['KAFKA_BOOTSTRAP_SERVERS', '[::g]:9092'],
  ['KAFKA_BOOTSTRAP_SERVERS', '[127.0.0.1]:9092'],
  ['KAFKA_BOOTSTRAP_SERVERS', 'a:9092,'],
  ['KAFKA_BOOTSTRAP_SERVERS', 'a:0'],
  ['KAFKA_BOOTSTRAP_SERVERS', 'a:65536'],
  ['WEBPAGE_LOG_TOPIC', '../webpage_log'],
  ['WEBPAGE_LOG_TOPIC', '..'],
  ['WEBPAGE_LOG_TOPIC', 'web page'],
  ['INPUT_QUEUE', ''],
  ['REQUEST_TIMEOUT_SECONDS', '0'],
  ['MAX_RETRIES', '1.5'],
  ['MAX_RETRIES', ''],
  ['USER_AGENT', 'two\nlines'],
  ['RATE_LIMIT_PER_SECOND', '-1'],
  ['CIRCUIT_BREAKER_BACKOFF_MULTIPLIER', '0.5'],
  ['ROBOTS', 'maybe'],
  ['ALLOW_HOSTS', 'http://court.example/'],
  ['METRICS_PORT', '70000'],
])('says which variable cannot be used: %s=%s', (name, text) => {
  expect(() => readFetcherConfig({ [`PAGE_FETCHER_${name}`]: text })).toThrow(
    `PAGE_FETCHER_${name}=${JSON.stringify(text)}`,
  );
});

it.each([
  'localhost:9092',
  '127.0.0.1:9092',
  '[::1]:9092',
  '[2001:db8::7]:9092, kafka_2.internal:19092',
  '[::ffff:10.0.0.1]:9092,a:1,b:65535',
])('takes brokers in any spelling: %s', (servers) => {
  const config = readFetcherConfig({ PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS: servers });
  expect(config.kafkaBootstrapServers).toBe(servers);
});

it('says that a variable is misspelt', () => {
  expect(() => readFetcherConfig({ PAGE_FETCHER_RATE: '2' })).toThrow('PAGE_FETCHER_RATE is not known');
});

it('passes over what Kubernetes sets for a service of that name', () => {
  const set = { PAGE_FETCHER_PORT: 'tcp://10.0.0.1:80', PAGE_FETCHER_PORT_80_TCP: 'x', PAGE_FETCHER_SERVICE_HOST: 'x' };
  expect(() => readFetcherConfig(set)).not.toThrow();
});

it('every default can be read, and every name is its own', () => {
  const names = Object.values(FETCHER_VARIABLES).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(() =>
    readFetcherConfig(
      Object.fromEntries(Object.values(FETCHER_VARIABLES).map(({ name, default: text }) => [name, text])),
    ),
  ).not.toThrow();
});

it('is a fleet as soon as Redis or Kafka is named', () => {
  expect(namesFleet({})).toBe(false);
  expect(namesFleet({ PAGE_FETCHER_REDIS_URL: 'redis://localhost:6379' })).toBe(true);
  expect(namesFleet({ PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS: 'localhost:9092' })).toBe(true);
});
