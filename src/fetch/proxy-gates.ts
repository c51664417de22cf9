// The ways out. A proxy that fails is no fault of the site behind it, so its failures count here: after five in a row
// nothing leaves through it until a probe has got through.

import type { Clock } from '../platform/clock.ts';
import type { FetchEvent } from './fetch-memory.ts';
import type { HopResult } from './http/hop-result.ts';
import type { BreakerTicket } from './politeness/breaker.ts';
import type { BreakerSettings, ProbeResult } from './politeness/breaker-state.ts';
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
}

export class ProxyGates {
  readonly #options: ProxyGatesOptions;
  readonly #gates = new Map<string, ProxyGate>();
  #latest: ProxyServer | undefined;

  constructor(options: ProxyGatesOptions) {
    this.#options = options;
  }

  /** Waits while the proxy rests. Without a proxy that does there is nothing to wait for. */
  async enter(proxy: ProxyServer | undefined, stop: AbortSignal): Promise<Passage | undefined> {
    this.#latest = proxy;
    if (proxy === undefined || this.#options.assigner !== undefined) return undefined;
    return { proxy, ticket: await this.#of(proxy).breaker.waitUntilAllowed(stop) };
  }

  /** For what nobody asked to go a certain way, robots.txt and probes: the way of the latest request, without waiting. */
  sameWay(): Passage | undefined {
    return this.#latest && this.through(this.#latest);
  }

  /** This way, without waiting. */
  through(proxy: ProxyServer): Passage {
    return { proxy, ticket: { generation: this.#of(proxy).breaker.state.generation } };
  }

  /** Whether the proxy may still be used; false once it has begun to rest. */
  isOpen(passage: Passage | undefined): boolean {
    return passage === undefined || this.#of(passage.proxy).breaker.isValid(passage.ticket);
  }

  /** Whether the request to `origin` got through. */
  learn(passage: Passage | undefined, origin: string, failure: string | undefined): void {
    if (passage === undefined) return;
    const failed = isProxyFailure(failure);
    const { assigner } = this.#options;
    if (assigner !== undefined) {
      if (failed) assigner.noteFailure(passage.proxy, failure ?? '');
      return;
    }
    const gate = this.#of(passage.proxy);
    if (failed) gate.target = origin;
    gate.breaker.record(passage.ticket, failed ? 'down' : 'up');
  }

  #of(proxy: ProxyServer): ProxyGate {
    const name = redactProxy(proxy);
    const known = this.#gates.get(name);
    if (known !== undefined) return known;
    const { clock, breaker: settings, report } = this.#options;
    let wasOpen = false;
    const gate: ProxyGate = {
      target: '',
      breaker: new CircuitBreaker({
        clock,
        settings,
        probe: (signal) => this.#probe(gate.target, proxy, signal),
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

  async #probe(origin: string, proxy: ProxyServer, signal: AbortSignal): Promise<ProbeResult> {
    const result = await this.#options.probe(origin, proxy, signal);
    if (result.kind === 'aborted') throw signal.reason;
    if (result.kind === 'failure' && isProxyFailure(result.code)) return { kind: 'no_answer', reason: result.reason };
    // Whatever the site says or does not say: the proxy let us through.
    return { kind: 'answer', status: 200 };
  }
}

interface ProxyGate {
  readonly breaker: CircuitBreaker;
  /** The origin that could not be reached last: what probes go to. */
  target: string;
}

/** Whether a failure is the proxy's doing, not the site's. */
export function isProxyFailure(failure: string | undefined): boolean {
  return failure?.startsWith('proxy_') ?? false;
}
