// A site on a loopback port: any handler, with a request log, latency, fault switches and a control endpoint.
// Whatever is set here holds from the next request on. Closing answers what is under way and leaves nothing behind.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../src/platform/clock.ts';
import { messageOf } from '../src/platform/errors.ts';
import type { Random } from '../src/platform/random.ts';
import { chance } from './chance.ts';
import { answerControl, CONTROL_PREFIX, type ControlRoutes } from './control.ts';
import type { RequestFault } from './fault.ts';
import { FaultSwitches } from './fault-switches.ts';
import { FrontDoor } from './front-door.ts';
import { type LatencyMs, pickLatencyMs } from './latency.ts';
import { type Handler, htmlReply, type Reply, type SimRequest, statusReply } from './reply.ts';
import { type OpenLogEntry, RequestLog } from './request-log.ts';
import { compressReply, sendReply } from './send-reply.ts';

/** Longer than any pause of a test, so that the server never closes a connection just as a client reuses it. */
const KEEP_ALIVE_MS = 120_000;
const LARGEST_REQUEST_BODY = 1_000_000;

export interface SiteOptions {
  /** Default 0: the system chooses. */
  readonly port?: number;
  /** Of latency and fault rates. Default 1. */
  readonly seed?: number;
  /** Default 0. */
  readonly latencyMs?: LatencyMs;
  /** Whether requests are logged. Default true; false saves memory in benchmarks. */
  readonly log?: boolean;
  /** Whether text is sent with br or gzip to clients that accept it. Default false. */
  readonly compress?: boolean;
  /** Times in the log, latency, and the ends of faults follow it. Default: the system's. */
  readonly clock?: Clock;
}

/** What a kind of site adds to every site. */
export interface SiteTraits {
  /** What a request is about, for the log and for faults limited by `token`. Default: never known. */
  readonly tokenOf?: (request: SimRequest) => string | undefined;
  /** Further routes of the control endpoint. */
  readonly controlRoutes?: ControlRoutes;
}

interface SiteStats {
  readonly requests: number;
  readonly inFlight: number;
  readonly peakInFlight: number;
  /** Answers by status. A request that got none is in `requests` only. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly connections: number;
  /** Connections that a `down` fault reset when they came. */
  readonly connectionsReset: number;
}

export interface Site {
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly url: string;
  /** The same form; serves the control endpoint only, also while the site is down. */
  readonly controlUrl: string;
  readonly log: RequestLog;
  readonly faults: FaultSwitches;
  stats(): SiteStats;
  setLatency(latencyMs: LatencyMs): void;
  /** Pending delays end at once, what is under way is answered, all ports are closed. Twice is fine. */
  close(): Promise<void>;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Starts a site. Throws the system's error when the port cannot be had. */
export async function startSite(handler: Handler, options: SiteOptions & SiteTraits = {}): Promise<Site> {
  const site = new HttpSite(handler, options);
  await site.start();
  return site;
}

class HttpSite implements Site {
  readonly log = new RequestLog();
  readonly faults: FaultSwitches;
  readonly controlRoutes: ControlRoutes;
  readonly #handler: Handler;
  readonly #tokenOf: (request: SimRequest) => string | undefined;
  readonly #clock: Clock;
  readonly #door: FrontDoor;
  readonly #controlDoor: FrontDoor;
  readonly #logs: boolean;
  readonly #compresses: boolean;
  readonly #latencyChance: Random;
  readonly #closing = new AbortController();
  readonly #statuses: Record<string, number> = {};
  #latencyMs: LatencyMs;
  #requests = 0;
  #inFlight = 0;
  #peakInFlight = 0;

  constructor(handler: Handler, options: SiteOptions & SiteTraits) {
    const { port = 0, seed = 1, latencyMs = 0, log = true, compress = false, clock = systemClock } = options;
    this.#handler = handler;
    this.#tokenOf = options.tokenOf ?? (() => undefined);
    this.controlRoutes = options.controlRoutes ?? {};
    this.#clock = clock;
    this.#latencyMs = latencyMs;
    this.#latencyChance = chance(seed, 'latency');
    this.#logs = log;
    this.#compresses = compress;
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      const isControl = request.url?.startsWith(CONTROL_PREFIX) === true;
      this.#answer(request, response, isControl ? this.#control : this.#serve);
    });
    const control = createServer((request, response) => this.#answer(request, response, this.#control));
    this.#door = new FrontDoor(server, port);
    this.#controlDoor = new FrontDoor(control, 0);
    this.faults = new FaultSwitches({ clock, seed, door: this.#door });
  }

  get url(): string {
    return this.#door.url;
  }

  get controlUrl(): string {
    return this.#controlDoor.url;
  }

  async start(): Promise<void> {
    await this.#door.start();
    await this.#controlDoor.start();
  }

  stats(): SiteStats {
    return {
      requests: this.#requests,
      inFlight: this.#inFlight,
      peakInFlight: this.#peakInFlight,
      statuses: { ...this.#statuses },
      connections: this.#door.connections,
      connectionsReset: this.#door.connectionsReset,
    };
  }

  setLatency(latencyMs: LatencyMs): void {
    this.#latencyMs = latencyMs;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#door.close(), this.#controlDoor.close()]);
    await this.faults.clear();
  }

  #answer(request: IncomingMessage, response: ServerResponse, serve: Serve): void {
    serve(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy();
      else
        response
          .writeHead(500, { 'content-type': 'text/plain' })
          .end(`The simulated site failed: ${messageOf(error)}\n`);
    });
  }

  readonly #control: Serve = async (request, response) => {
    const reply = await answerControl(this, simRequest(request, await bodyOf(request)));
    await this.#send(response, reply, undefined);
  };

  readonly #serve: Serve = async (request, response) => {
    const { method = '', url: target = '/' } = request;
    const entry = this.#arrived(request, response);
    const body = hasBody(request) ? await bodyOf(request) : '';
    const asked = simRequest(request, body);
    const token = this.#tokenOf(asked);
    const fault = this.faults.strike(method, target, token);
    if (entry !== undefined) {
      if (body !== '') entry.body = body;
      entry.token = token ?? null;
      entry.fault = fault?.kind ?? null;
    }
    await this.#delay(fault);
    // Nobody is there to be answered any more.
    if (request.socket.destroyed) return;
    const reply = this.#replyTo(asked, fault);
    if (reply === undefined) {
      this.#leaveUnanswered(request, fault);
      return;
    }
    if (entry !== undefined) entry.status = reply.status;
    this.#statuses[reply.status] = (this.#statuses[reply.status] ?? 0) + 1;
    await this.#send(response, reply, fault);
  };

  #arrived(request: IncomingMessage, response: ServerResponse): OpenLogEntry | undefined {
    this.#requests++;
    this.#inFlight++;
    this.#peakInFlight = Math.max(this.#peakInFlight, this.#inFlight);
    const entry = this.#logs ? this.log.append(this.#entryOf(request)) : undefined;
    response.once('close', () => {
      this.#inFlight--;
      if (entry !== undefined) entry.finishedAt = this.#clock.monotonic();
    });
    return entry;
  }

  #entryOf(request: IncomingMessage): Omit<OpenLogEntry, 'n'> {
    return {
      wallTime: this.#clock.now(),
      arrivedAt: this.#clock.monotonic(),
      finishedAt: null,
      method: request.method ?? '',
      path: request.url ?? '/',
      headers: request.headers,
      body: null,
      status: null,
      inFlight: this.#inFlight,
      token: null,
      fault: null,
    };
  }

  async #delay(fault: RequestFault | undefined): Promise<void> {
    const ownMs = this.#latencyMs === 0 ? 0 : pickLatencyMs(this.#latencyMs, this.#latencyChance.next());
    if (fault?.kind === 'hold') await fired(AbortSignal.any([this.faults.cleared(fault), this.#closing.signal]));
    const delayMs = ownMs + (fault?.kind === 'latency' ? fault.ms : 0);
    if (delayMs === 0) return;
    await this.#clock.sleep(delayMs, this.#closing.signal).catch(() => undefined); // Closing: answer now.
  }

  /** Undefined when the fault lets no answer out. */
  #replyTo(request: SimRequest, fault: RequestFault | undefined): Reply | undefined {
    if (fault?.kind === 'status') {
      const { status, headers = {}, body } = fault;
      return body === undefined ? statusReply(status, headers) : htmlReply(status, body, headers);
    }
    if (fault?.kind === 'silent' || (fault?.kind === 'reset' && fault.afterBytes === undefined)) return undefined;
    const reply = this.#handler(request, fault?.kind === 'quirk' ? fault.name : undefined);
    return this.#compresses ? compressReply(reply, String(request.headers['accept-encoding'] ?? '')) : reply;
  }

  #leaveUnanswered(request: IncomingMessage, fault: RequestFault | undefined): void {
    const { socket } = request;
    if (fault?.kind !== 'silent') socket.resetAndDestroy();
    else if (this.#closing.signal.aborted) socket.destroy();
    else this.#closing.signal.addEventListener('abort', () => socket.destroy(), { once: true });
  }

  async #send(response: ServerResponse, reply: Reply, fault: RequestFault | undefined): Promise<void> {
    // Otherwise the client would keep the connection, and closing would wait for it.
    if (this.#closing.signal.aborted) response.shouldKeepAlive = false;
    await sendReply(response, reply, { fault, clock: this.#clock, signal: this.#closing.signal });
  }
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function simRequest(request: IncomingMessage, body: string): SimRequest {
  const { method = '', url: target = '/', headers } = request;
  const mark = target.indexOf('?');
  const pathname = mark === -1 ? target : target.slice(0, mark);
  return { method, pathname, search: mark === -1 ? '' : target.slice(mark + 1), headers, body };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length > LARGEST_REQUEST_BODY) throw new Error(`a request body above ${LARGEST_REQUEST_BODY} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
