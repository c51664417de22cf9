// How the page fetcher is configured: by variables of the environment, each with a default. One table is the source of the
// names, the defaults, their meaning in docs/fleet.md, and how each value is read.

import { parseHostPattern } from '../fetch/guard/host-pattern.ts';
import { redactSecrets } from '../observe/redact.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import { docsPage } from '../platform/version.ts';

interface Variable<T> {
  readonly name: string;
  /** As it would be written in the environment. */
  readonly default: string;
  readonly meaning: string;
  /** Throws what is wrong with the text, as the end of a sentence that begins with the value. */
  readonly read: (text: string) => T;
}

function variable<T>(name: string, standard: string, read: (text: string) => T, meaning: string): Variable<T> {
  return { name: `PAGE_FETCHER_${name}`, default: standard, meaning, read };
}

/** Durations are given in seconds, as the names say, and kept in milliseconds. */
export const FETCHER_VARIABLES = {
  redisUrl: variable('REDIS_URL', 'redis://localhost:6379', url(/^rediss?:$/), 'the Redis that all workers share'),
  kafkaBootstrapServers: variable(
    'KAFKA_BOOTSTRAP_SERVERS',
    'localhost:9092',
    servers,
    '`host:port` of brokers, several with commas between',
  ),
  inputQueue: variable('INPUT_QUEUE', 'crawler_queue', name, 'list of URLs to be fetched'),
  dlqQueue: variable('DLQ_QUEUE', 'page_fetcher_dlq', name, 'list of dead letters'),
  webpageLogTopic: variable('WEBPAGE_LOG_TOPIC', 'webpage_log', topic, 'topic of the events'),
  requestTimeoutMs: variable('REQUEST_TIMEOUT_SECONDS', '30', seconds(0.001), 'longest time for one request'),
  maxRetries: variable('MAX_RETRIES', '3', whole(1), 'attempts in all for a URL that fails by itself'),
  retryBackoffBaseMs: variable(
    'RETRY_BACKOFF_BASE_SECONDS',
    '2',
    seconds(0),
    'wait after the first attempt; it doubles after each',
  ),
  userAgent: variable('USER_AGENT', 'OttoBot/1.0', header, 'what the fetcher calls itself; robots.txt is read for it'),
  maxRedirects: variable('MAX_REDIRECTS', '5', whole(0), 'redirects followed for one URL'),
  cacheTtlMs: variable(
    'CACHE_TTL_SECONDS',
    '3600',
    seconds(1),
    'how long content is kept after its event was published',
  ),
  ratePerSecond: variable(
    'RATE_LIMIT_PER_SECOND',
    '1',
    rate,
    'requests a second to one host, over all workers, or `off`',
  ),
  breakerFailureThreshold: variable(
    'CIRCUIT_BREAKER_FAILURE_THRESHOLD',
    '5',
    whole(1),
    'failures in a row after which a host is taken for down',
  ),
  breakerInitialBackoffMs: variable(
    'CIRCUIT_BREAKER_INITIAL_BACKOFF_SECONDS',
    '30',
    seconds(0.001),
    'from there to the first probe',
  ),
  breakerMaxBackoffMs: variable(
    'CIRCUIT_BREAKER_MAX_BACKOFF_SECONDS',
    '300',
    seconds(0.001),
    'longest time between two probes',
  ),
  breakerBackoffMultiplier: variable(
    'CIRCUIT_BREAKER_BACKOFF_MULTIPLIER',
    '2',
    number(1),
    'what a failed probe does to that time',
  ),
  robotsTxtCacheTtlMs: variable('ROBOTS_TXT_CACHE_TTL_SECONDS', '86400', seconds(1), 'how long a robots.txt counts'),
  pollTimeoutMs: variable(
    'POLL_TIMEOUT_SECONDS',
    '5',
    seconds(0.001),
    'longest time between two looks at an empty queue',
  ),
  concurrency: variable('CONCURRENCY', '64', whole(1), 'URLs that one worker has in hand at once'),
  hostConcurrency: variable('HOST_CONCURRENCY', '8', whole(1), 'and of one host'),
  outboxLimit: variable('OUTBOX_LIMIT', '100000', whole(1), 'events that may wait for Kafka before fetching pauses'),
  outboxMemoryShare: variable(
    'OUTBOX_MEMORY_SHARE',
    '0.5',
    share,
    "share of Redis' `maxmemory` that pages may take while they wait for Kafka",
  ),
  redisMemoryBytes: variable(
    'REDIS_MEMORY_BYTES',
    '',
    optionalBytes,
    'memory that Redis may use, where it has no `maxmemory` or may not be asked',
  ),
  leaseMs: variable(
    'LEASE_SECONDS',
    '30',
    seconds(0.1),
    'after how long the URLs of a dead worker are given to another',
  ),
  robots: variable(
    'ROBOTS',
    'allow',
    robotsMode,
    'when robots.txt cannot be had: `allow`, or `strict`; `off`: do not ask',
  ),
  allowHosts: variable('ALLOW_HOSTS', '', hosts, 'hosts that may have a private address, with commas between'),
  maxPageBytes: variable('MAX_PAGE_BYTES', '33554432', whole(1, 2 ** 30), 'largest page, decoded'),
  metricsHost: variable('METRICS_HOST', '127.0.0.1', name, 'address on which metrics and health are served'),
  metricsPort: variable('METRICS_PORT', '9464', port, 'and the port; 0: any free one'),
} as const;

type Variables = typeof FETCHER_VARIABLES;

export type FetcherConfig = {
  readonly [Name in keyof Variables]: ReturnType<Variables[Name]['read']>;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads every variable. Throws `config_invalid`, naming all that cannot be used and those with our prefix nobody knows. */
export function readFetcherConfig(environment: Environment): FetcherConfig {
  const problems: string[] = unknownIn(environment).map((unknown) => `${unknown} is not known`);
  const read = Object.entries(FETCHER_VARIABLES).map(([key, { name: variableName, default: standard, read }]) => {
    const text = environment[variableName] ?? standard;
    try {
      return [key, read(text)];
    } catch (error) {
      problems.push(`${variableName}=${redactSecrets(JSON.stringify(text))} ${messageOf(error)}`);
      return [key, undefined];
    }
  });
  if (problems.length === 0) return Object.fromEntries(read) as FetcherConfig;
  throw new CurlewError(ErrorCode.configInvalid, `Invalid fetcher configuration: ${problems.join('; ')}`, {
    remedy: `${docsPage('fleet.md')} lists every variable with its unit and default.`,
  });
}

/** Whether Redis or Kafka was named: else the fetcher is on its own. */
export function namesFleet(environment: Environment): boolean {
  const { redisUrl, kafkaBootstrapServers } = FETCHER_VARIABLES;
  return environment[redisUrl.name] !== undefined || environment[kafkaBootstrapServers.name] !== undefined;
}

/** Kubernetes sets these in every container when a service is called `page-fetcher`. */
const OF_KUBERNETES = /^PAGE_FETCHER_(SERVICE_|PORT(_|$))/;

function unknownIn(environment: Environment): string[] {
  const known = new Set(Object.values(FETCHER_VARIABLES).map(({ name: variableName }) => variableName));
  const ours = Object.keys(environment).filter((key) => key.startsWith('PAGE_FETCHER_') && !OF_KUBERNETES.test(key));
  return ours.filter((key) => !known.has(key));
}

function number(least: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isFinite(value) && value >= least) return value;
    throw new Error(`must be a number from ${least} up`);
  };
}

function whole(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = number(least)(text);
    if (value > most) throw new Error(`must be ${most} at most`);
    if (Number.isSafeInteger(value)) return value;
    throw new Error('must be a whole number');
  };
}

function seconds(least: number): (text: string) => number {
  return (text) => Math.round(number(least)(text) * 1_000);
}

function share(text: string): number {
  const value = number(0)(text);
  if (value > 0 && value <= 0.8) return value;
  throw new Error('must be a number above 0, at most 0.8');
}

function optionalBytes(text: string): number | undefined {
  return text === '' ? undefined : whole(1)(text);
}

function rate(text: string): number | 'off' {
  if (text === 'off') return 'off';
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error('must be a number above 0, or off');
}

function port(text: string): number {
  const value = whole(0)(text);
  if (value <= 65_535) return value;
  throw new Error('must be a port, at most 65535');
}

function name(text: string): string {
  if (/^[^\s\p{C}]+$/u.test(text)) return text;
  throw new Error('must be a name without spaces');
}

function header(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text;
  throw new Error('must be plain text on one line');
}

function robotsMode(text: string): 'allow' | 'strict' | 'off' {
  if (text === 'allow' || text === 'strict' || text === 'off') return text;
  throw new Error('must be allow, strict or off');
}

function url(protocol: RegExp): (text: string) => string {
  return (text) => {
    if (protocol.test(URL.parse(text)?.protocol ?? '')) return text;
    throw new Error('must be a URL such as redis://host:6379');
  };
}

/** What Kafka takes; where there is none, the file of events is named after it. */
function topic(text: string): string {
  if (/^[\w.-]{1,249}$/.test(text) && !/^\.\.?$/.test(text)) return text;
  throw new Error('must be up to 249 letters, digits, dots, underscores and hyphens');
}

/** `host:port`, an IPv6 address in brackets. */
const SERVER = /^(\[[0-9a-f:.]+\]|[^\s:[\]]+):(\d+)$/i;

function servers(text: string): string {
  for (const server of text.split(',').map((part) => part.trim())) {
    const [, host = '', portText = ''] = SERVER.exec(server) ?? [];
    const isAddress = !host.startsWith('[') || URL.canParse(`http://${host}`);
    if (!isAddress || Number(portText) < 1 || Number(portText) > 65_535) {
      throw new Error('must be host:port, an IPv6 address in brackets ([::1]:9092), several with commas between');
    }
  }
  return text;
}

function hosts(text: string): readonly string[] {
  const patterns = text.split(',').map((part) => part.trim());
  const given = patterns.filter((part) => part !== '');
  for (const pattern of given) parseHostPattern(pattern);
  return given;
}
