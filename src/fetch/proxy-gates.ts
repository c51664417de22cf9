// The ways out. A proxy that fails is no fault of the site behind it, so its failures count here: after five in a row
// nothing leaves through it until a probe has got through. What it answers shows that it is well; when it says no, that may
// be about the target (squid answers 503 for one that it cannot reach), so only the way to that target rests. Where an assigner
// chooses, it does so when a request leaves, and sees to the rest of its proxies itself.

import type { Clock, Instant } from '../platform/clock.ts';
import type { FetchEvent } from './fetch-memory.ts';
import type { HostWait } from './host-wait.ts';
import type { HopFailureCode } from './http/failure-code.ts';
import type { HopResult } from './http/hop-result.ts';
import type { BreakerTicket } from './politeness/breaker.ts';
import { type BreakerSettings, closedBreaker, type ProbeResult } from './politeness/breaker-state.ts';
import { CircuitBreaker } from './politeness/circuit-breaker.ts';
import type { ProxyAssigner, ProxyTrouble } from './proxy/proxy-assigner.ts';
import { type ProxyServer, redactProxy } from './proxy/proxy-server.ts';

export interface ProxyGatesOptions {
  readonly clock: Clock;
  readonly breaker: BreakerSettings;
  /** Sends a HEAD to an origin through the proxy, at the origin's pace. */
  readonly probe: (origin: string, proxy: ProxyServer, signal: AbortSignal) => Promise<HopResult>;
  readonly report: (event: FetchEvent) => void;
  /** Who assigns proxies, and sees to their rest; then none rests here. */
  readonly assigner?: ProxyAssigner | undefined;
}

/** Which way a request is to go: through this proxy or none, or through the one that is chosen when it leaves. */
export type WayOut =
  | { readonly kind: 'fixed'; readonly proxy: ProxyServer | undefined }
  /** `before`: what it had until now; `isBound`: it can have no other any more. */
  | { readonly kind: 'assigned'; readonly before?: ProxyServer | undefined; readonly isBound?: boolean };

/** The way of a request that goes through no proxy. */
export const DIRECT: WayOut = { kind: 'fixed', proxy: undefined };

/** The proxy of a way, as far as it is known. */
export function wayProxy(way: WayOut): ProxyServer | undefined {
  return way.kind === 'fixed' ? way.proxy : way.before;
}

/** The permission to use a proxy for one request; without one, none is used. */
export interface Passage {
  readonly proxy: ProxyServer;
  /** Undefined where the assigner sees to the rest of its proxies. */
  readonly ticket: BreakerTicket | undefined;
  /** The permission to go to its origin that way; undefined when it was not asked for. */
  readonly toOrigin: WayTicket | undefined;
}

interface WayTicket extends BreakerTicket {
  readonly origin: string;
}

export class ProxyGates {
  readonly #options: ProxyGatesOptions;
  /** By name, proxies and ways through them to an origin. */
  readonly #gates = new Map<string, ProxyGate>();
  #latest: ProxyServer | undefined;

  constructor(options: ProxyGatesOptions) {
    this.#options = options;
  }

  /**
   * Waits while the proxy rests, or the way to `origin`, or all that can be chosen (`onRest` is told until when). Without a proxy
   * nobody waits.
   */
  async enter(
    way: WayOut,
    origin: string,
    stop: AbortSignal,
    onRest: (until: Instant) => void = () => {},
  ): Promise<Passage | undefined> {
    const { assigner } = this.#options;
    if (way.kind === 'assigned') {
      if (!way.isBound) await this.ready(stop, onRest);
      return undefined;
    }
    const { proxy } = way;
    this.#latest = proxy;
    if (proxy === undefined) return undefined;
    if (assigner !== undefined) return { proxy, ticket: undefined, toOrigin: undefined };
    const ticket = await this.#of(proxy).breaker.waitUntilAllowed(stop);
    // A way that has never been refused has no gate yet.
    const toTarget = this.#gates.get(wayName(proxy, origin));
    const { generation } = (await toTarget?.breaker.waitUntilAllowed(stop)) ?? closedBreaker;
    return { proxy, ticket, toOrigin: { origin, generation } };
  }

  /**
   * The passage of a request that leaves now, after it has waited for its turn. `rests`: it must wait once more. `lost`: it can
   * have no other proxy than one that rests.
   */
  async leave(way: WayOut, entered: Passage | undefined): Promise<Passage | undefined | 'rests' | 'lost'> {
    if (way.kind === 'fixed') return this.#isOpen(entered) ? entered : 'rests';
    const proxy = await this.#options.assigner?.choose(way.before);
    if (way.isBound && proxy !== way.before) return 'lost';
    return proxy === undefined ? 'rests' : { proxy, ticket: undefined, toOrigin: undefined };
  }

  /** For robots.txt and probes: this proxy, or the next that is assigned, or that of the latest request, without waiting. */
  async leaveAside(proxy: ProxyServer | undefined): Promise<Passage | undefined | 'rests'> {
    const { assigner } = this.#options;
    if (assigner !== undefined && proxy === undefined) {
      const chosen = await assigner.choose();
      return chosen === undefined ? 'rests' : { proxy: chosen, ticket: undefined, toOrigin: undefined };
    }
    const given = proxy ?? this.#latest;
    return given && { proxy: given, ticket: this.#of(given).breaker.state, toOrigin: undefined };
  }

  /** Resolves when one can be chosen. */
  async ready(signal: AbortSignal, onRest: (until: Instant) => void): Promise<void> {
    await this.#options.assigner?.ready(signal, onRest);
  }

  /** Whether a request that has to go this way would wait for its proxy. */
  isResting(way: WayOut): boolean {
    return way.kind === 'fixed' && way.proxy !== undefined && this.waits().length > 0;
  }

  /** When the first proxy is back, while all that could be chosen rest. */
  get restUntil(): Instant | undefined {
    return this.#options.assigner?.restUntil;
  }

  /** The proxies that rest, and the ways through them that do. */
  waits(): HostWait[] {
    return [...this.#gates].flatMap(([name, { breaker, reason }]) => {
      const { state } = breaker;
      if (state.kind === 'closed') return [];
      const until = state.kind === 'open' ? state.probeAt : undefined;
      return [{ host: `the proxy ${name}`, until, reason: `breaker open: ${reason}` }];
    });
  }

  /** Whether the proxy may still be used, and the way; false once one of them has begun to rest. */
  #isOpen(passage: Passage | undefined): boolean {
    if (passage?.ticket === undefined) return true;
    const { proxy, ticket, toOrigin } = passage;
    if (!this.#of(proxy).breaker.isValid(ticket)) return false;
    const way = toOrigin && this.#gates.get(wayName(proxy, toOrigin.origin));
    return toOrigin === undefined || way === undefined || way.breaker.isValid(toOrigin);
  }

  /** Whether the request to `origin` got through: an answer came, or why not. */
  learn(passage: Passage | undefined, origin: string, trouble: ProxyTrouble | undefined): void {
    if (passage === undefined) return;
    const { proxy, ticket, toOrigin } = passage;
    const { assigner } = this.#options;
    if (assigner !== undefined) {
      assigner.learn(proxy, trouble);
      return;
    }
    const failure = trouble?.failure;
    const isDown = isProxyFailure(failure) && failure !== REFUSED;
    const gate = this.#of(proxy);
    if (isDown) {
      gate.target = origin;
      gate.reason = trouble?.reason ?? '';
    }
    gate.breaker.record(ticket ?? gate.breaker.state, isDown ? 'down' : 'up');
    const way = failure === REFUSED ? this.#to(proxy, origin) : this.#gates.get(wayName(proxy, origin));
    if (way === undefined || isDown) return;
    if (trouble !== undefined) way.reason = trouble.reason;
    way.breaker.record(toOrigin ?? way.breaker.state, failure === REFUSED ? 'down' : 'up');
  }

  #of(proxy: ProxyServer): ProxyGate {
    return this.#gate(redactProxy(proxy), '', (gate, signal) =>
      // Whatever the site says or does not say, and whether or not it may be reached: the proxy answered.
      this.#probe(gate.target, proxy, signal, (code) => isProxyFailure(code) && code !== REFUSED),
    );
  }

  #to(proxy: ProxyServer, origin: string): ProxyGate {
    return this.#gate(wayName(proxy, origin), origin, (gate, signal) =>
      this.#probe(gate.target, proxy, signal, isProxyFailure),
    );
  }

  #gate(
    name: string,
    target: string,
    probe: (gate: ProxyGate, signal: AbortSignal) => Promise<ProbeResult>,
  ): ProxyGate {
    const known = this.#gates.get(name);
    if (known !== undefined) return known;
    const { clock, breaker: settings, report } = this.#options;
    let wasOpen = false;
    const gate: ProxyGate = {
      target,
      reason: '',
      breaker: new CircuitBreaker({
        clock,
        settings,
        probe: (signal) => probe(gate, signal),
        onChange(state) {
          const { kind, failures } = state;
          const isOpen = kind !== 'closed';
          if (state.kind === 'open') {
            const reason = `breaker open: ${gate.reason}`;
            report({ kind: 'waiting', host: name, at: clock.now(), until: state.probeAt, reason });
          }
          if (isOpen === wasOpen) return;
          wasOpen = isOpen;
          report({ kind: 'breaker', host: name, at: clock.now(), state: isOpen ? 'open' : 'closed', failures });
        },
      }),
    };
    this.#gates.set(name, gate);
    return gate;
  }

  async #probe(
    origin: string,
    proxy: ProxyServer,
    signal: AbortSignal,
    isFailure: (code: string) => boolean,
  ): Promise<ProbeResult> {
    const result = await this.#options.probe(origin, proxy, signal);
    if (result.kind === 'aborted') throw signal.reason;
    if (result.kind === 'failure' && isFailure(result.code)) return { kind: 'no_answer', reason: result.reason };
    return { kind: 'answer', status: 200 };
  }
}

interface ProxyGate {
  readonly breaker: CircuitBreaker;
  /** What probes go to: the origin of the way, or the one that the proxy failed for last. */
  target: string;
  /** What it failed with last. */
  reason: string;
}

/** The proxy is well, and says no. */
const REFUSED: HopFailureCode = 'proxy_refused';

function wayName(proxy: ProxyServer, origin: string): string {
  return `${redactProxy(proxy)} to ${origin}`;
}

/** Whether a failure is the proxy's doing, not the site's. */
export function isProxyFailure(failure: string | undefined): boolean {
  return failure?.startsWith('proxy_') ?? false;
}
