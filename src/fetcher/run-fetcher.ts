// Runs a fetcher with all it needs, from opening to closing: the service, and beside it metrics and health over HTTP.

import { type Log, logWith } from '../observe/log.ts';
import type { Clock } from '../platform/clock.ts';
import { type EndpointAnswer, type HttpEndpoint, listenHttp } from '../platform/http-endpoint.ts';
import { thisProcess } from '../platform/process-identity.ts';
import type { Random } from '../platform/random.ts';
import { Dependency } from './dependency.ts';
import type { FetcherConfig } from './fetcher-config.ts';
import { FetcherMetrics, type Levels } from './fetcher-metrics.ts';
import type { FetcherPlace } from './fetcher-place.ts';
import { FetcherService } from './fetcher-service.ts';
import type { FetcherWorld } from './fetcher-world.ts';
import { type Part, type Readiness, readinessOf } from './readiness.ts';

/** What is asked for metrics or health is answered within this time, with what is known. */
const ANSWER_MS = 2_000;

export interface RunFetcherOptions {
  readonly place: FetcherPlace;
  readonly config: FetcherConfig;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether to create the topic of a fleet's events when it is missing. */
  readonly createTopics?: boolean;
}

/** Works until `stop` aborts. Throws only for what cannot be waited for: a taken port, a ledger that cannot be opened. */
export async function runFetcher(options: RunFetcherOptions, stop: AbortSignal): Promise<void> {
  const { place, config, clock, random } = options;
  const { machine, pid } = thisProcess();
  const worker = `${machine}-${pid}-${random.hex(4)}`;
  const log = logWith(options.log, { worker });
  const names = place.kind === 'fleet' ? (['redis', 'kafka'] as const) : (['ledger', 'event_log'] as const);
  const [redis, kafka] = [new Dependency(names[0], log, clock), new Dependency(names[1], log, clock)];
  const metrics = new FetcherMetrics();
  const known: { world?: FetcherWorld; service?: FetcherService } = {};
  const parts = (): readonly Part[] => [
    { name: names[0], state: redis, check: known.world && (() => known.world?.backend.check('thorough')) },
    { name: names[1], state: kafka, check: known.world && (() => known.world?.checkLog()) },
  ];
  const readiness = () => readinessOf(parts(), known.service?.pauseReason, clock, ANSWER_MS);
  const endpoint = await openEndpoint({ config, clock, metrics, names, readiness, worldNow: () => known.world });
  log.event('listening', { place: place.kind, metrics: `${endpoint.url}/metrics` });
  try {
    const world = await openWorld({ ...options, log }, redis, stop);
    if (world === undefined) return;
    known.world = world;
    const service = new FetcherService({
      ...world,
      config,
      log,
      clock,
      random,
      metrics,
      worker,
      backendState: redis,
      eventLogState: kafka,
    });
    known.service = service;
    try {
      log.event('started', {});
      await service.run(stop);
    } finally {
      delete known.world;
      await service.close();
      await world.close();
    }
  } finally {
    await endpoint.close();
    log.event('stopped', {});
  }
}

/** Undefined when `stop` aborts before. Only what belongs to the place is loaded. */
async function openWorld(
  options: RunFetcherOptions,
  redis: Dependency,
  stop: AbortSignal,
): Promise<FetcherWorld | undefined> {
  const { place, config } = options;
  if (place.kind === 'fleet') {
    const { openFleetWorld } = await import('./fleet-world.ts');
    return openFleetWorld(config, options, redis, stop);
  }
  const { openEmbeddedWorld } = await import('./embedded/embedded-world.ts');
  return openEmbeddedWorld(place.data, config, options);
}

interface EndpointParts {
  readonly config: FetcherConfig;
  readonly clock: Clock;
  readonly metrics: FetcherMetrics;
  /** What the worker depends on. */
  readonly names: readonly string[];
  readonly readiness: () => Promise<Readiness>;
  readonly worldNow: () => FetcherWorld | undefined;
}

function openEndpoint({ config, clock, metrics, names, readiness, worldNow }: EndpointParts): Promise<HttpEndpoint> {
  const within = <T>(work: Promise<T>, otherwise: T): Promise<T> => {
    const answered = new AbortController();
    const late = clock.sleep(ANSWER_MS, answered.signal).then(
      () => otherwise,
      () => otherwise,
    );
    return Promise.race([work.catch(() => otherwise), late]).finally(() => answered.abort());
  };
  return listenHttp(config.metricsHost, config.metricsPort, async (path) => {
    const world = worldNow();
    switch (path) {
      case '/healthz':
        return json(200, { live: true });
      case '/readyz': {
        const answer = await readiness();
        return json(answer.ready ? 200 : 503, answer);
      }
      case '/metrics': {
        const [levels, { reasons }] = await Promise.all([within(lookUpLevels(world), undefined), readiness()]);
        metrics.levels(levels);
        metrics.dependencies(Object.fromEntries(names.map((name) => [name, !(name in reasons)])));
        return { status: 200, type: metrics.contentType, body: await metrics.text() };
      }
      default:
        return undefined;
    }
  });
}

/** Undefined where there is nothing to ask yet. */
async function lookUpLevels(world: FetcherWorld | undefined): Promise<Levels | undefined> {
  if (world === undefined) return undefined;
  const { backend } = world;
  const [{ waiting, leased }, deadLetters, outbox] = await Promise.all([
    backend.queue.size(),
    backend.deadLetters.size(),
    backend.outbox.size(),
  ]);
  return { waiting, leased, deadLetters, outbox };
}

function json(status: number, value: object): EndpointAnswer {
  return { status, type: 'application/json', body: `${JSON.stringify(value)}\n` };
}
