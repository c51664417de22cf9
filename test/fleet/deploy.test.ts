// What cannot be started here is at least not wrong: the files of deploy/ and the tables of docs/fleet.md agree with the code.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { freePorts } from '../../scripts/services/running-server.ts';
import { FETCHER_VARIABLES, readFetcherConfig } from '../../src/fetcher/fetcher-config.ts';
import { FETCHER_EVENTS } from '../../src/fetcher/fetcher-events.ts';
import { FetcherMetrics } from '../../src/fetcher/fetcher-metrics.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { type Env, startWorker } from './fleet.ts';
import { parsePrometheusText } from './prometheus-text.ts';
import { readSimpleYaml } from './simple-yaml.ts';

const HOME = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(HOME, path), 'utf8');
const scratch = scratchDirectory();
const families = parsePrometheusText(await new FetcherMetrics().text());

describe('deploy/grafana.json', () => {
  const Dashboard = z.object({
    uid: z.string().min(1),
    title: z.string().min(1),
    schemaVersion: z.int(),
    panels: z.array(
      z.object({
        id: z.int(),
        title: z.string(),
        type: z.string(),
        gridPos: z.object({ x: z.int().max(23), y: z.int(), w: z.int().max(24), h: z.int() }),
        targets: z.array(z.object({ refId: z.string(), expr: z.string() })).min(1),
      }),
    ),
  });
  const dashboard = Dashboard.parse(JSON.parse(read('deploy/grafana.json')));

  it('asks only for metrics that there are, and for each of them', () => {
    const exprs = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const asked = new Set(exprs.flatMap((expr) => expr.match(/page_fetcher_\w+/g) ?? []));
    const there = [...families].map(([name, { type }]) => (type === 'histogram' ? `${name}_bucket` : name));
    expect([...asked].toSorted()).toEqual(there.toSorted());
    for (const expr of exprs) expect(expr.split('(').length, expr).toBe(expr.split(')').length);
  });

  it('has every panel once, and none upon another', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

describe('deploy/compose.yaml', () => {
  const Service = z.object({
    image: z.string().optional(),
    build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
    environment: z.record(z.string(), z.string()).default({}),
    depends_on: z.record(z.string(), z.object({ condition: z.literal('service_healthy') })).default({}),
    volumes: z.array(z.string()).default([]),
    healthcheck: z.object({ test: z.array(z.string()).min(2) }).optional(),
    deploy: z.object({ replicas: z.coerce.number() }).optional(),
    stop_grace_period: z.string().optional(),
  });
  const Compose = z.object({ services: z.record(z.string(), Service), volumes: z.record(z.string(), z.literal('')) });
  const { services, volumes } = Compose.parse(readSimpleYaml(read('deploy/compose.yaml')));

  it('has Redis, Kafka and two workers, which wait until those are well', () => {
    expect(Object.keys(services)).toEqual(['redis', 'kafka', 'worker']);
    expect(services.worker?.deploy?.replicas).toBe(2);
    for (const { image, build, depends_on, volumes: mounts } of Object.values(services)) {
      expect([image, build].filter((source) => source !== undefined)).toHaveLength(1);
      for (const name of Object.keys(depends_on)) expect(services[name]?.healthcheck).toBeDefined();
      for (const mount of mounts) expect(Object.keys(volumes)).toContain(mount.split(':', 1)[0]);
    }
    expect(Object.keys(services.worker?.depends_on ?? {})).toEqual(['redis', 'kafka']);
  });

  it('configures the workers with what they know, and at addresses that there are', () => {
    const { environment = {}, build } = services.worker ?? {};
    const { redisUrl, kafkaBootstrapServers } = readFetcherConfig(environment);
    expect(new URL(redisUrl).hostname).toBe('redis');
    const listeners = services.kafka?.environment.KAFKA_ADVERTISED_LISTENERS ?? '';
    expect(listeners).toContain(`INSIDE://${kafkaBootstrapServers},`);
    expect(existsSync(join(HOME, 'deploy', build?.context ?? '', build?.dockerfile ?? ''))).toBe(true);
  });

  it('is understood by Docker, where there is one', async (context) => {
    const docker = promisify(execFile);
    const hasCompose = await docker('docker', ['compose', 'version']).then(
      () => true,
      () => false,
    );
    if (!hasCompose) return context.skip('there is no docker compose');
    await docker('docker', ['compose', '-f', join(HOME, 'deploy/compose.yaml'), 'config', '--quiet']);
  });
});

describe('deploy/Dockerfile', () => {
  const lines = read('deploy/Dockerfile').split('\n');
  const copied = lines
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
    .flatMap((line) => line.split(' ').slice(1, -1));

  it('copies what is there, and what its list of exceptions lets through', () => {
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !existsSync(join(HOME, path)))).toEqual([]);
    const letThrough = read('deploy/Dockerfile.dockerignore').split('\n');
    expect(copied.filter((path) => !letThrough.includes(`!${path}`))).toEqual([]);
  });

  it('has a health check that asks where the worker is told to listen', async () => {
    const [, command = '[]'] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(lines.join('\n')) ?? [];
    const [program, ...args] = z.array(z.string()).parse(JSON.parse(command));
    expect(program).toBe('node');
    const check = (env: Env) =>
      promisify(execFile)(process.execPath, args, { cwd: HOME, env: { PATH: process.env.PATH, ...env } });
    const [port = 0] = await freePorts(1);
    for (const host of ['127.0.0.1', '0.0.0.0', '::1', '::', 'localhost']) {
      const env = { PAGE_FETCHER_METRICS_HOST: host, PAGE_FETCHER_METRICS_PORT: `${port}` };
      const worker = startWorker({ ...env, CURLEW_DATA: scratch('data') });
      await worker.says('started');
      await check(env);
      worker.signal('SIGTERM');
      await worker.ended;
      await expect(check(env)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`:${port}/healthz: `),
      });
    }
    const nowhere = { PAGE_FETCHER_METRICS_PORT: '0' };
    await expect(check(nowhere)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('choose a port') });
  });

  it('the health check has the defaults of the worker', () => {
    const { metricsHost, metricsPort } = FETCHER_VARIABLES;
    const source = read('deploy/health-check.js');
    for (const { name, default: standard } of [metricsHost, metricsPort]) {
      expect(source).toMatch(new RegExp(`${name}: \\w+ = '${standard.replaceAll('.', '\\.')}'`));
    }
  });

  it('sets variables that are known', () => {
    const set = lines.join('\n').match(/PAGE_FETCHER_\w+/g) ?? [];
    const known = Object.values(FETCHER_VARIABLES).map(({ name }) => name);
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('docs/fleet.md', () => {
  const rows = read('docs/fleet.md').match(/^\| `.*\|$/gm) ?? [];
  const cellsOf = (row: string) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());

  it('lists every variable with its default and meaning', () => {
    const table = rows.map(cellsOf).filter(([name]) => name?.startsWith('`PAGE_FETCHER_'));
    expect(table).toEqual(
      Object.values(FETCHER_VARIABLES).map(({ name, default: standard, meaning }) => [
        `\`${name}\``,
        standard === '' ? 'none' : `\`${standard}\``,
        meaning,
      ]),
    );
  });

  it('lists every event of the log with its level and meaning', () => {
    const events = read('docs/fleet.md').split('| event ')[1]?.split('\n\n')[0] ?? '';
    const table = (events.match(/^\| `.*\|$/gm) ?? []).map(cellsOf);
    expect(table).toEqual(
      Object.entries(FETCHER_EVENTS).map(([name, { level, meaning }]) => [`\`${name}\``, level, meaning]),
    );
  });

  it('lists every metric with its type and meaning', () => {
    // The table of keys has more columns.
    const table = rows.map(cellsOf).filter((cells) => cells[0]?.startsWith('`page_fetcher_') && cells.length === 3);
    expect(table).toEqual([...families].map(([name, { type, help }]) => [`\`${name}\``, type, help]));
  });
});
