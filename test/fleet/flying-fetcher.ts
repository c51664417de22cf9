// The whole service on a clock that flies, with real requests to real servers: hours in seconds.

import { Dependency } from '../../src/fetcher/dependency.ts';
import { openEmbeddedWorld } from '../../src/fetcher/embedded/embedded-world.ts';
import { readFetcherConfig } from '../../src/fetcher/fetcher-config.ts';
import { FetcherMetrics } from '../../src/fetcher/fetcher-metrics.ts';
import { FetcherService, type FetcherServiceParts } from '../../src/fetcher/fetcher-service.ts';
import type { FetcherWorld } from '../../src/fetcher/fetcher-world.ts';
import type { Log } from '../../src/observe/log.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { seededRandom } from '../../src/platform/random.ts';
import { closing } from '../fixtures/closing.ts';
import { flyTime } from '../fixtures/fly-time.ts';
import type { Env } from './fleet.ts';
import { parsePrometheusText, total } from './prometheus-text.ts';

interface Said {
  readonly event: string;
  readonly at: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface FlyingFetcher extends FetcherWorld {
  readonly clock: FakeClock;
  /** Everything it has logged. */
  readonly said: readonly Said[];
  /** Works until `isDone`, which is asked at every step of the clock, says so. */
  fly(isDone: () => Promise<boolean>): Promise<void>;
  /** Nothing waits, is in hand, or is to be published. */
  isEmpty(): Promise<boolean>;
  /** The sum over all series of `page_fetcher_…`. */
  count(name: string): Promise<number>;
}

interface FlyingOptions {
  readonly clock?: FakeClock;
  /** Parts that take the place of those of the world. */
  readonly replaced?: (world: FetcherWorld) => Partial<FetcherServiceParts>;
}

export async function flyingFetcher(
  data: string,
  env: Env,
  { clock = new FakeClock(), replaced = () => ({}) }: FlyingOptions = {},
): Promise<FlyingFetcher> {
  const random = seededRandom(1);
  const said: Said[] = [];
  const log: Log = { event: (event, fields) => void said.push({ event, at: clock.now(), fields }) };
  const config = readFetcherConfig({ PAGE_FETCHER_ALLOW_HOSTS: '127.0.0.1', ...env });
  const world = closing(await openEmbeddedWorld(data, config, { clock, random }));
  const metrics = new FetcherMetrics();
  const states = {
    backendState: new Dependency('ledger', log, clock),
    eventLogState: new Dependency('event_log', log, clock),
  };
  const service = new FetcherService({
    ...world,
    ...states,
    config,
    metrics,
    log,
    clock,
    random,
    worker: 'w',
    ...replaced(world),
  });
  return {
    ...world,
    clock,
    said,
    async fly(isDone) {
      const stop = new AbortController();
      await flyTime(clock, service.run(stop.signal), async () => {
        if (await isDone()) stop.abort();
      });
      await service.close();
    },
    async isEmpty() {
      const { waiting, leased } = await world.backend.queue.size();
      return waiting + leased + (await world.backend.outbox.size()) === 0;
    },
    count: async (name) => total(parsePrometheusText(await metrics.text()), `page_fetcher_${name}`),
  };
}
