// Loads pages in Chromium: a bounded number at once, sessions apart, every request through the guard proxy and `admit`.
// A page that hangs, a Chromium that dies or a site that never ends costs that load and nothing else; a page has a place only
// when its document may leave, so that a host that makes its pages wait keeps no other's out.

import { type Clock, systemClock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { onAbort } from '../../platform/on-abort.ts';
import { type Random, systemRandom } from '../../platform/random.ts';
import { type Sockets, systemSockets } from '../../platform/sockets.ts';
import { AddressGuard } from '../guard/address-guard.ts';
import type { HostPattern } from '../guard/host-pattern.ts';
import { Dialer } from '../http/dialer.ts';
import type { HopAborted } from '../http/hop-result.ts';
import type { Admit, AdmitQuestion, Admittance } from './admit.ts';
import { BrowserProcess } from './browser-process.ts';
import type { BrowserFailure, BrowserRefusal, BrowserRequest, BrowserResult, LoadReport } from './browser-result.ts';
import { BrowserTab, type TabRequest } from './browser-tab.ts';
import { findChromium } from './find-chromium.ts';
import { GuardProxy } from './guard-proxy.ts';
import { PageSlots, type Place } from './page-slots.ts';
import { addressOf } from './page-traffic.ts';
import { SessionContexts } from './session-contexts.ts';
import { type LetIn, SessionLoad } from './session-load.ts';

export interface BrowserTimeouts {
  /** From the name to the last handshake of a connection. Default 10 s. */
  readonly connectMs: number;
  /** The longest silence of a server, before its answer and within it. Default 30 s. */
  readonly idleMs: number;
  /** From the `load` event to the element asked for with `waitFor`. Default 30 s. */
  readonly waitMs: number;
  /** The whole load, waiting for `admit` not included. Default 300 s. With a sink, one second more for every 16 KiB received. */
  readonly totalMs: number;
  /** A session's place that is not used is given up after this, with its cache and storage. Default 60 s. */
  readonly idleSessionMs: number;
}

export interface BrowserLimits {
  /** Everything one load receives, content codings taken off. Default 64 MiB. */
  readonly maxPageBytes: number;
  /** The page as shown. Default 32 MiB. */
  readonly maxSnapshotBytes: number;
  /** Instead of `maxPageBytes`, when there is a sink. Default 8 GiB. */
  readonly maxDownloadBytes: number;
  /** Memory of the process that a page has. On Linux only. Default 2 GiB. */
  readonly maxProcessBytes: number;
}

export interface BrowserFetchOptions {
  /** Path of Chromium. Default: CURLEW_CHROMIUM, else the usual places. */
  readonly executablePath?: string;
  /** Hosts that may be reached although their address is not public. Default none. */
  readonly allow?: readonly HostPattern[];
  /**
   * Pages at work at the same time, and open pages of one host; further loads wait. Four times as many may be open, when the
   * others do nothing but wait for `admit`. Default 2.
   */
  readonly maxPages?: number;
  readonly timeouts?: Partial<BrowserTimeouts>;
  readonly limits?: Partial<BrowserLimits>;
  /** Root certificates in PEM, trusted besides those of Node. Default none. */
  readonly extraCa?: readonly string[];
  /** Default: the real network. */
  readonly sockets?: Sockets;
  readonly clock?: Clock;
  readonly random?: Random;
}

const DEFAULT_TIMEOUTS: BrowserTimeouts = {
  connectMs: 10_000,
  idleMs: 30_000,
  waitMs: 30_000,
  totalMs: 300_000,
  idleSessionMs: 60_000,
};

const OPEN_FOR_ONE_AT_WORK = 4;

/** How long a place is kept for a document that had its turn when there was none. */
const PLACE_KEPT_MS = 500;

const DEFAULT_LIMITS: BrowserLimits = {
  maxPageBytes: 64 * 2 ** 20,
  maxSnapshotBytes: 32 * 2 ** 20,
  maxDownloadBytes: 8 * 2 ** 30,
  maxProcessBytes: 2 * 2 ** 30,
};

export class BrowserFetch {
  readonly #guard: GuardProxy;
  readonly #process: BrowserProcess;
  readonly #contexts: SessionContexts;
  readonly #slots: PageSlots;
  readonly #timeouts: BrowserTimeouts;
  readonly #limits: BrowserLimits;
  readonly #clock: Clock;
  readonly #closing = new AbortController();

  private constructor(options: BrowserFetchOptions, executablePath: string, guard: GuardProxy) {
    const { maxPages = 2, clock = systemClock } = options;
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#clock = clock;
    this.#guard = guard;
    this.#process = new BrowserProcess({ executablePath, guard, maxProcessBytes: this.#limits.maxProcessBytes });
    this.#contexts = new SessionContexts({
      process: this.#process,
      guard,
      idleMs: this.#timeouts.idleSessionMs,
      maxIdle: maxPages,
    });
    this.#slots = new PageSlots({ atWork: maxPages, open: maxPages * OPEN_FOR_ONE_AT_WORK });
  }

  /** Finds Chromium, which is started by the first load. Rejects with `service_missing` when there is none. */
  static async open(options: BrowserFetchOptions = {}): Promise<BrowserFetch> {
    const { sockets = systemSockets, random = systemRandom, allow, extraCa = [] } = options;
    const { connectMs, idleMs } = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    const executablePath = await findChromium({ executablePath: options.executablePath });
    const dialer = new Dialer({ sockets, guard: new AddressGuard(sockets, allow), connectMs, extraCa });
    return new BrowserFetch(options, executablePath, await GuardProxy.start({ dialer, random, idleMs }));
  }

  /**
   * Loads a page and waits for the whole of it. Resolves with `aborted` soon after `signal` fires. Rejects only for what
   * is not the site's doing: a request that is not http, a `waitFor` that is no selector, a failing sink, an `admit` that
   * rejects, a closed network, a Chromium that does not start.
   */
  async load(request: BrowserRequest, signal: AbortSignal): Promise<BrowserResult> {
    const { url } = request;
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new CurlewError(ErrorCode.invalidRequest, `${url.href} is not an http or https URL`, {
        remedy: 'Only http and https can be loaded.',
      });
    }
    const over = AbortSignal.any([signal, this.#closing.signal]);
    for (;;) {
      const entry = await this.#enter(request, over).catch((error: unknown) => {
        if (over.aborted) return ABORTED;
        throw error;
      });
      if (entry.kind !== 'entered') return entry;
      const result = await this.#loadInPlace(request, entry, over).finally(() => entry.place.release());
      if (result.kind !== 'aborted' || result.recalled === undefined) return result;
    }
  }

  /** Waits until the document may leave and there is a place for its page. While it waits for the one it has not the other. */
  async #enter(request: BrowserRequest, signal: AbortSignal): Promise<Entered | BrowserRefusal | HopAborted> {
    const { admit } = request;
    const question = { url: addressOf(request.url), kind: 'document' } as const;
    const { href, host } = question.url;
    const refused = (reason: string): BrowserRefusal => ({ kind: 'refused', url: href, reason, ...NOTHING_HAPPENED });
    // A turn is not to be held while Chromium starts.
    await this.#process.browser();
    for (;;) {
      const first = await ask(admit, question, signal);
      if (first.kind === 'refused') return refused(first.reason);
      const free = this.#slots.tryAcquire(host);
      if (free !== undefined) return { kind: 'entered', first, place: free };
      first.giveBack();
      const place = await this.#slots.acquire(host, signal);
      // Nobody else of its host may have had its turn meanwhile.
      const again = await admittedSoon(admit, question, signal).catch((error: unknown) => {
        place.release();
        throw error;
      });
      if (again?.kind === 'admitted') return { kind: 'entered', first: again, place };
      place.release();
      if (again !== undefined) return refused(again.reason);
    }
  }

  /** A tab that stays open until whoever opened it closes it. Rejects with `service_missing`. */
  async openTab(request: TabRequest): Promise<BrowserTab> {
    const place = await this.#contexts.take(request.session, request.proxy);
    const { maxPageBytes } = this.#limits;
    return BrowserTab.open(place, request, {
      maxPageBytes,
      clock: this.#clock,
      drop: () => this.#contexts.drop(place),
    });
  }

  /** Ends every load as `aborted`, Chromium and the proxy. Calling it again is fine. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the browser was closed'));
    await this.#contexts.closeIdle();
    await this.#process.close();
    await this.#guard.close();
  }

  async #loadInPlace(request: BrowserRequest, entered: Entered, signal: AbortSignal): Promise<BrowserResult> {
    const { session } = request;
    const { first } = entered;
    const { proxy } = first;
    const place = await this.#contexts.take(session, proxy).catch((error: unknown) => {
      first.giveBack();
      // A Chromium that does not start is our trouble; one that dies just now is worth another try.
      if (error instanceof CurlewError && !signal.aborted) throw error;
      return undefined;
    });
    if (place === undefined) return signal.aborted ? { kind: 'aborted' } : CRASHED_BEFORE;
    const options = { ...this.#limits, ...this.#timeouts, clock: this.#clock };
    const load = new SessionLoad(place, request, entered, signal, options);
    try {
      return await load.run();
    } finally {
      if (await load.clear()) this.#contexts.giveBack(place, session, proxy);
      else await this.#contexts.drop(place);
    }
  }
}

interface Entered extends LetIn {
  readonly kind: 'entered';
  readonly place: Place;
}

const ABORTED: HopAborted = { kind: 'aborted' };

const NOTHING_HAPPENED: LoadReport = {
  hops: [],
  traffic: { sent: 0, refused: 0, refusals: [], failed: 0 },
  cookieChanges: [],
};

const CRASHED_BEFORE: BrowserFailure = {
  kind: 'failure',
  code: 'browser_crashed',
  reason: 'Chromium died before it could load the page',
  document: undefined,
  head: undefined,
  ...NOTHING_HAPPENED,
};

/** Nobody waits for `admit` when the signal has fired. What it says after that is given back. */
async function ask(admit: Admit, question: AdmitQuestion, signal: AbortSignal): Promise<Admittance> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stopListening = onAbort(signal, () => reject(signal.reason));
  const asked = admit(question, signal);
  try {
    return await Promise.race([asked, aborted]);
  } catch (error) {
    asked.then(
      (late) => late.kind === 'admitted' && late.giveBack(),
      () => {},
    );
    throw error;
  } finally {
    stopListening();
  }
}

/** Undefined when it is not soon. */
async function admittedSoon(
  admit: Admit,
  question: AdmitQuestion,
  signal: AbortSignal,
): Promise<Admittance | undefined> {
  const soon = AbortSignal.timeout(PLACE_KEPT_MS);
  try {
    return await ask(admit, question, AbortSignal.any([signal, soon]));
  } catch (error) {
    if (soon.aborted && !signal.aborted) return undefined;
    throw error;
  }
}
