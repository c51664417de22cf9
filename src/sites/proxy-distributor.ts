// Gives each request of a site its way out when it leaves, and leaves out what rests. A datacenter proxy rests for its cooldown
// after it failed, or after the site did not answer through it while it answered through another one. A residential one is left
// out for a moment, longer each time it fails in a row. When all rest, the site waits for the first to be back.

import { classify, contextAt } from '../fetch/classify.ts';
import type { ProxyAssigner, ProxyTrouble } from '../fetch/proxy/proxy-assigner.ts';
import type { ProxyServer } from '../fetch/proxy/proxy-server.ts';
import { isProxyFailure } from '../fetch/proxy-gates.ts';
import type { Clock, Instant } from '../platform/clock.ts';
import type { ProxyBlocklist } from './proxy-blocklist.ts';
import { type ProxyPool, pickWay, type Way } from './proxy-pool.ts';

export interface ProxyDistributorOptions {
  readonly domain: string;
  readonly pool: ProxyPool;
  readonly blocklist: ProxyBlocklist;
  readonly clock: Clock;
}

/** How long a residential way is left out after its first failure in a row; doubled after each further one. */
const SHORTEST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;

/** Failures in a row of one residential way. */
interface Pause {
  readonly failures: number;
  readonly until: Instant;
}

/** What can be given now, or when the first is back. */
type Pick = { readonly way: Way } | { readonly back: Instant };

export class ProxyDistributor implements ProxyAssigner {
  readonly #options: ProxyDistributorOptions;
  readonly #ways: ReadonlyMap<string, Way>;
  /** When the site answered last, by way. */
  readonly #answered = new Map<Way, Instant>();
  readonly #pauses = new Map<Way, Pause>();
  #given = 0;
  #last: Way | undefined;
  #restUntil: Instant | undefined;
  /** What was learnt is written in order, and known before the next is chosen. */
  #written: Promise<void> = Promise.resolve();

  constructor(options: ProxyDistributorOptions) {
    this.#options = options;
    const { datacenter, residential } = options.pool;
    this.#ways = new Map([...datacenter, ...residential].map((way) => [keyOf(way.proxy), way]));
  }

  get restUntil(): Instant | undefined {
    const until = this.#restUntil;
    return until !== undefined && until > this.#options.clock.now() ? until : undefined;
  }

  async ready(stop: AbortSignal, onRest: (until: Instant) => void): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      const pick = await this.#pick();
      if ('way' in pick) return;
      onRest(pick.back);
      await clock.sleep(pick.back - clock.now(), stop);
    }
  }

  async choose(before?: ProxyServer): Promise<ProxyServer | undefined> {
    const kept = before && this.#ways.get(keyOf(before));
    const pick = await this.#pick(kept);
    if (!('way' in pick)) return undefined;
    if (pick.way !== kept) this.#given++;
    this.#last = pick.way;
    return pick.way === kept ? before : pick.way.proxy;
  }

  learn(proxy: ProxyServer, trouble: ProxyTrouble | undefined): void {
    const way = this.#ways.get(keyOf(proxy));
    if (way === undefined) return;
    if (trouble === undefined) {
      this.#answered.set(way, this.#options.clock.now());
      this.#pauses.delete(way);
      return;
    }
    const { failure, reason } = trouble;
    if (isProxyFailure(failure) || (isSilence(trouble) && this.#othersGetThrough(way))) {
      this.#failed(way, `${failure}: ${reason}`);
    } else if (isSilence(trouble) && way === this.#last) {
      // It may be this way or the site: a stable one is left for the next, and none is blamed.
      this.#last = after(way, this.#options.pool.residential);
    }
  }

  /** `kept` is given again if it does not rest. */
  async #pick(kept?: Way): Promise<Pick> {
    const { domain, pool, blocklist, clock } = this.#options;
    await this.#written;
    const blocked = new Map((await blocklist.entries(domain)).map(({ proxy, until }) => [proxy, until.getTime()]));
    const now = clock.now();
    const back = (way: Way): Instant =>
      way.kind === 'datacenter' ? (blocked.get(way.name) ?? now) : (this.#pauses.get(way)?.until ?? now);
    const isResting = (way: Way) => back(way) > now;
    const way =
      kept !== undefined && !isResting(kept)
        ? kept
        : pickWay(pool, isResting, { given: this.#given, last: this.#last });
    this.#restUntil = way === undefined ? Math.min(...[...this.#ways.values()].map(back)) : undefined;
    return way === undefined ? { back: this.#restUntil ?? now } : { way };
  }

  #failed(way: Way, reason: string): void {
    if (way.kind === 'residential') {
      this.#pause(way);
      return;
    }
    const { domain, blocklist } = this.#options;
    const write = this.#written.then(() => blocklist.add(domain, way.name, reason));
    this.#written = write;
    // Who chooses next is told if it cannot be written.
    write.catch(() => {});
  }

  /** What fails while it is left out already left before that: it is the same failure. */
  #pause(way: Way): void {
    const now = this.#options.clock.now();
    const { failures, until } = this.#pauses.get(way) ?? { failures: 0, until: now };
    if (until > now) return;
    const pauseMs = Math.min(SHORTEST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
    this.#pauses.set(way, { failures: failures + 1, until: now + pauseMs });
  }

  /** Whether the site answered through another proxy since it last did through this one: then it is not the site's doing. */
  #othersGetThrough(way: Way): boolean {
    const own = this.#answered.get(way) ?? Number.NEGATIVE_INFINITY;
    return [...this.#answered].some(([other, at]) => other !== way && at > own);
  }
}

function after(way: Way, ways: readonly Way[]): Way | undefined {
  return ways[(ways.indexOf(way) + 1) % ways.length];
}

/** Sessions of one proxy differ by their user only. */
function keyOf({ scheme, host, port, credentials }: ProxyServer): string {
  return JSON.stringify([scheme, host, port, credentials?.user, credentials?.password]);
}

/** Whether no answer came, so that it may have been the way. */
function isSilence({ failure: code, reason }: ProxyTrouble): boolean {
  const failed = { kind: 'failure', code, reason, head: undefined } as const;
  return classify(failed, contextAt(0, false)).kind === 'site_wide';
}
