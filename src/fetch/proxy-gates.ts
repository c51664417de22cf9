// The ways out. A proxy that fails is no fault of the site behind it, so its failures count here: after five in a row
// nothing leaves through it until a probe has got through. What it answers shows that it is well; when it says no, that may
// be about the target (squid answers 503 for one that it cannot reach), so only the way to that target rests.

import type { Clock } from '../platform/clock.ts';
import type { FetchEvent } from './fetch-memory.ts';
import type { HopFailureCode } from './http/failure-code.ts';
import type { HopResult } from './http/hop-result.ts';
import type { BreakerTicket } from './politeness/breaker.ts';
import { type BreakerSettings, closedBreaker, type ProbeResult } from './politeness/breaker-state.ts';
import { CircuitBreaker } from './politeness/circuit-breaker.ts';
import type { ProxyAssigner } from './proxy/proxy-assigner.ts';
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

/** The permission to use a proxy for one request. */
export interface Passage {
  readonly proxy: ProxyServer;
  readonly ticket: BreakerTicket;
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

  /** Waits while the proxy rests, or the way to `origin`. Without a proxy that does there is nothing to wait for. */
  async enter(proxy: ProxyServer | undefined, origin: string, stop: AbortSignal): Promise<Passage | undefined> {
    this.#latest = proxy;
    if (proxy === undefined || this.#options.assigner !== undefined) return undefined;
    const ticket = await this.#of(proxy).breaker.waitUntilAllowed(stop);
    // A way that has never been refused has no gate yet.
    const way = this.#gates.get(wayName(proxy, origin));
    const { generation } = (await way?.breaker.waitUntilAllowed(stop)) ?? closedBreaker;
    return { proxy, ticket, toOrigin: { origin, generation } };
  }

  /** For what nobody asked to go a certain way, robots.txt and probes: the way of the latest request, without waiting. */
  sameWay(): Passage | undefined {
    return this.#latest && this.through(this.#latest);
  }

  /** This way, without waiting. */
  through(proxy: ProxyServer): Passage {
    return { proxy, ticket: this.#of(proxy).breaker.state, toOrigin: undefined };
  }

  /** Whether the proxy may still be used, and the way; false once one of them has begun to rest. */
  isOpen(passage: Passage | undefined): boolean {
    if (passage === undefined) return true;
    const { proxy, ticket, toOrigin } = passage;
    if (!this.#of(proxy).breaker.isValid(ticket)) return false;
    const way = toOrigin && this.#gates.get(wayName(proxy, toOrigin.origin));
    return toOrigin === undefined || way === undefined || way.breaker.isValid(toOrigin);
  }

  /** Whether the request to `origin` got through. */
  learn(passage: Passage | undefined, origin: string, failure: string | undefined): void {
    if (passage === undefined) return;
    const { proxy, ticket, toOrigin } = passage;
    const { assigner } = this.#options;
    if (assigner !== undefined) {
      if (isProxyFailure(failure)) assigner.noteFailure(proxy, failure ?? '');
      return;
    }
    const isDown = isProxyFailure(failure) && failure !== REFUSED;
    const gate = this.#of(proxy);
    if (isDown) gate.target = origin;
    gate.breaker.record(ticket, isDown ? 'down' : 'up');
    const way = failure === REFUSED ? this.#to(proxy, origin) : this.#gates.get(wayName(proxy, origin));
    if (way === undefined || isDown) return;
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
      breaker: new CircuitBreaker({
        clock,
        settings,
        probe: (signal) => probe(gate, signal),
        onChange({ kind, failures }) {
          const isOpen = kind !== 'closed';
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
