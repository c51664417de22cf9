// Runs a fetcher with all it needs, from opening to closing: the service, and beside it metrics and health over HTTP.

import { type Log, logWith } from '../observe/log.ts';
import type { Clock } from '../platform/clock.ts';
import { type EndpointAnswer, type HttpEndpoint, listenHttp } from '../platform/http-endpoint.ts';
import { thisProcess } from '../platform/process-identity.ts';
import type { Random } from '../platform/random.ts';
import type { FetcherConfig } from './fetcher-config.ts';
import { FetcherMetrics, type Levels } from './fetcher-metrics.ts';
import type { FetcherPlace } from './fetcher-place.ts';
import { FetcherService } from './fetcher-service.ts';
import type { FetcherWorld } from './fetcher-world.ts';
import { Outage } from './outage.ts';

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
  const [redis, kafka] = [new Outage(names[0], log, clock), new Outage(names[1], log, clock)];
  const metrics = new FetcherMetrics();
  const known: { world?: FetcherWorld } = {};
  const endpoint = await openEndpoint({ config, clock, metrics, names, worldNow: () => known.world });
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
      backendOutage: redis,
      eventLogOutage: kafka,
    });
    try {
      log.event('started', {});
      const asked = world.checkLog().catch((error) => kafka.away(error));
      await service.run(stop);
      await asked;
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
  redis: Outage,
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
  /** What the backend and the event log are called. */
  readonly names: readonly [string, string];
  readonly worldNow: () => FetcherWorld | undefined;
}

function openEndpoint({ config, clock, metrics, names, worldNow }: EndpointParts): Promise<HttpEndpoint> {
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
        const [backend, log] = await Promise.all([
          within(world?.backend.ready() ?? Promise.resolve(false), false),
          within(world?.checkLog().then(() => true) ?? Promise.resolve(false), false),
        ]);
        return json(backend && log ? 200 : 503, { ready: backend && log, [names[0]]: backend, [names[1]]: log });
      }
      case '/metrics':
        metrics.levels(await within(lookUpLevels(world), undefined));
        return { status: 200, type: metrics.contentType, body: await metrics.text() };
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
