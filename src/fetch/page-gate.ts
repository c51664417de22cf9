// What stands before the requests of one page load: each passes the gate of its host, as those of plain HTTP do, and is noted
// when it leaves. A document that another host would keep waiting is turned away, as a redirect of plain HTTP is.

import type { Clock, Instant } from '../platform/clock.ts';
import { assertNever } from '../platform/errors.ts';
import type { Pass } from './admission.ts';
import type { AdmitQuestion, Admittance, Admitted, RequestEnd } from './browser/admit.ts';
import { classify, contextAt } from './classify.ts';
import type { HostGate } from './host-gate.ts';
import type { HostGates } from './host-gates.ts';
import { reachesSite } from './host-sign.ts';
import { decideRedirect } from './http/redirect.ts';
import type { OutcomeWithoutPage } from './outcome.ts';
import type { Patience } from './patience.ts';
import type { ProxyServer } from './proxy/proxy-server.ts';
import { type WayOut, wayProxy } from './proxy-gates.ts';

export interface PageGateParts {
  readonly gates: HostGates;
  readonly clock: Clock;
  /** Which way the page goes. One that is assigned is chosen for its first document, and stays. */
  readonly way: WayOut;
  readonly patience: Patience;
  /** What the load is for. Undefined: for whatever is asked, so that nothing is elsewhere. */
  readonly home: URL | undefined;
  /** Is told of each request that leaves, or may have been noticed by its site. */
  readonly onDeparture?: (departure: Departure) => void;
  /** The same, when it has ended. */
  readonly onEnd?: (departure: Departure) => void;
}

/** A request that left. */
export interface Departure extends AdmitQuestion {
  readonly host: string;
  readonly at: Instant;
  /** Undefined while it is under way. */
  readonly end: RequestEnd | undefined;
}

export class PageGate {
  readonly #parts: PageGateParts;
  /** What it means that a document was not let through, by its URL. */
  readonly #refusals = new Map<string, OutcomeWithoutPage>();
  #way: WayOut;
  #lost: OutcomeWithoutPage | undefined;

  constructor(parts: PageGateParts) {
    this.#parts = parts;
    this.#way = parts.way;
  }

  /** The proxy of the page, once it has one. */
  get proxy(): ProxyServer | undefined {
    return wayProxy(this.#way);
  }

  /** What it means that the page lost its proxy on the way: parts of it may be missing. */
  get lost(): OutcomeWithoutPage | undefined {
    return this.#lost;
  }

  /** What it means that the document was not let through. */
  refusalOf(url: string): OutcomeWithoutPage | undefined {
    return this.#refusals.get(url);
  }

  /** Whether nobody waits there for a host that is down or has asked for time, because it is not the load's own. */
  returnsFrom(url: URL): boolean {
    return this.#parts.patience.elsewhere === 'return' && this.#isElsewhere(url);
  }

  /** As `Admit`. */
  async admit(question: AdmitQuestion, signal: AbortSignal): Promise<Admittance> {
    const { gates, clock, patience } = this.#parts;
    const { url, kind } = question;
    const way = this.#way;
    const gate = gates.of(url);
    const turnedAway = kind === 'document' && this.returnsFrom(url) ? gate.turnAway() : undefined;
    if (turnedAway !== undefined) return this.#refuse(question, turnedAway.reason, turnedAway);
    const stop = AbortSignal.any([signal, patience.stop]);
    // A page shall not hang on a picture of a host that is down.
    const admission = await (kind === 'part' ? gate.admitUnlessDown(url, way, stop) : gate.admit(url, way, stop));
    switch (admission?.kind) {
      case undefined:
        return { kind: 'refused', reason: `${gate.host} is down` };
      case 'admitted':
        if (way.kind === 'assigned') this.#way = { ...way, before: admission.proxy };
        return this.#admitted(question, gate, admission.pass, admission.proxy);
      case 'unreached':
        return this.#refuse(question, admission.reason, admission);
      case 'disallowed': {
        const reason = `${this.#isElsewhere(url) ? `${url.host}: ` : ''}${admission.reason}`;
        return this.#refuse(question, reason, { kind: 'skipped', reason });
      }
      case 'undecided': {
        const { reason } = admission;
        return this.#refuse(question, reason, { kind: 'site_wide', reason, because: 'robots' });
      }
      case 'not_asked': {
        // The same failure as if the request itself had met it: an address that is refused, or trouble with the proxy.
        const { failure } = admission;
        const meaning = classify(failure, contextAt(clock.now(), false));
        if (way.kind === 'assigned' && way.isBound) this.#lost = meaning;
        return this.#refuse(question, failure.reason, meaning);
      }
      default:
        return assertNever(admission);
    }
  }

  #isElsewhere({ host }: URL): boolean {
    return this.#parts.home !== undefined && this.#parts.home.host !== host;
  }

  #refuse({ url, kind }: AdmitQuestion, reason: string, meaning: OutcomeWithoutPage): Admittance {
    if (kind === 'document') this.#refusals.set(url.href, meaning);
    return { kind: 'refused', reason };
  }

  #admitted(question: AdmitQuestion, gate: HostGate, pass: Pass, proxy: ProxyServer | undefined): Admitted {
    const { clock, onDeparture, onEnd } = this.#parts;
    const departure = { ...question, host: gate.host, at: clock.now(), end: undefined as RequestEnd | undefined };
    let left = false;
    const bind = () => {
      if (this.#way.kind === 'assigned') this.#way = { ...this.#way, before: proxy, isBound: true };
    };
    return {
      kind: 'admitted',
      ...(proxy !== undefined && { proxy }),
      leave() {
        if (!pass.left()) return undefined;
        left = true;
        bind();
        departure.at = clock.now();
        onDeparture?.(departure);
        return departure.at;
      },
      giveBack: () => pass.giveBack(),
      learn(end) {
        if (end.kind === 'aborted') pass.end(undefined);
        else pass.end(classify(end, contextAt(clock.now(), true)), sentOn(question.url, end));
        departure.end = end;
        const isNoticed = !left && end.kind === 'failure' && reachesSite(end.code);
        if (isNoticed) onDeparture?.(departure);
        if (left || isNoticed) onEnd?.(departure);
      },
    };
  }
}

/** Where an answer sends the request on to. How many redirects are followed is the load's to decide. */
function sentOn(url: URL, end: RequestEnd): URL | undefined {
  if (end.kind !== 'answer') return undefined;
  const { status, headers: responseHeaders } = end;
  const decision = decideRedirect({ status, responseHeaders, url, method: 'GET', requestHeaders: [], followed: 0 });
  return decision.kind === 'follow' ? decision.url : undefined;
}
