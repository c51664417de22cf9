// One request of a page: asked for, sent on through the guarded connections, and its answer passed back with the content
// codings taken off, so that a bomb is noticed before Chromium sees it. What must not leave, or fails, looks to the page
// like a broken network, never like an answer of the site.

import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CurlewError } from '../../platform/errors.ts';
import { StreamedBody } from '../http/body-receiver.ts';
import { codingsOf } from '../http/content-coding.ts';
import { HopError } from '../http/failure-code.ts';
import { MOST_HEADERS } from '../http/hop-options.ts';
import { failureOf } from '../http/wire-failure.ts';
import type { HeaderList } from '../outcome.ts';
import type { GuardedAgent } from './guarded-agent.ts';
import type { PageTraffic, TrackedRequest } from './page-traffic.ts';
import { passedOnHeaders, requestKind, sentOnHeaders } from './proxy-headers.ts';

export interface Route {
  readonly traffic: PageTraffic;
  readonly agent: GuardedAgent;
  /** Whether the connections end at the site itself, not at another proxy. */
  readonly direct: boolean;
  /** The longest silence while waiting for the head or within the body. */
  readonly idleMs: number;
}

const MAX_HEADER_BYTES = 65_536;

// Two lengths that differ (RFC 9112 §6.3) are an error that Chromium reports to the page and, unlike a closed
// connection, never answers by trying again.
const BROKEN_ANSWER = 'HTTP/1.1 502 Not passed on by Curlew\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n';

/** Ends a request that gets no answer, or none to its end. */
export function breakOff(socket: Socket | null, headSent: boolean): void {
  if (headSent) socket?.destroy();
  else socket?.end(BROKEN_ANSWER);
}

/** Resolves when the answer has been passed on, or the request has been broken off. Never rejects. */
export async function forwardRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  url: URL,
  route: Route,
): Promise<void> {
  const gone = goneSignal(outgoing, route);
  const tracked = route.traffic.begin(url, requestKind(incoming.headers));
  try {
    if (!(await tracked.admit(gone))) {
      breakOff(outgoing.socket, false);
      return;
    }
    const onward = openOnward(incoming, tracked, route, gone);
    incoming.pipe(onward);
    const { response } = await headOf(onward);
    const headers = answered(tracked, response, route);
    const codings = codingsOf(headers);
    outgoing.sendDate = false;
    const passedOn = passedOnHeaders(headers, tracked.kind, codings.length > 0);
    outgoing.writeHead(response.statusCode ?? 502, response.statusMessage ?? '', passedOn.flat());
    await passBody(onward, response, outgoing, codings, route.traffic, gone);
    outgoing.end();
  } catch (error) {
    settle(error, tracked, route, gone);
    breakOff(outgoing.socket, outgoing.headersSent);
  }
}

/** The same for a WebSocket: after the handshake, bytes go both ways until either side closes. */
export async function forwardUpgrade(incoming: IncomingMessage, client: Socket, url: URL, route: Route): Promise<void> {
  const gone = goneSignal(client, route);
  const tracked = route.traffic.begin(url, 'part');
  try {
    if (!(await tracked.admit(gone))) {
      breakOff(client, false);
      return;
    }
    const onward = openOnward(incoming, tracked, route, gone);
    onward.end();
    const { response, socket } = await headOf(onward);
    const headers = answered(tracked, response, route);
    if (socket === undefined) {
      response.destroy();
      breakOff(client, false);
      return;
    }
    const fields = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    client.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`, 'latin1');
    joinSockets(client, socket, route.traffic);
  } catch (error) {
    settle(error, tracked, route, gone);
    breakOff(client, false);
  }
}

/** Fires when Chromium closes its side or the load is over. */
function goneSignal(side: ServerResponse | Socket, { traffic }: Route): AbortSignal {
  const closed = new AbortController();
  side.once('close', () => closed.abort(new Error('the page no longer waits for this')));
  return AbortSignal.any([closed.signal, traffic.ended]);
}

function openOnward(
  incoming: IncomingMessage,
  tracked: TrackedRequest,
  route: Route,
  signal: AbortSignal,
): ClientRequest {
  const { url } = tracked;
  tracked.requestHeaders = sentOnHeaders(incoming, tracked, route.traffic.options);
  return openRequest({
    agent: route.agent,
    host: url.hostname,
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    method: incoming.method ?? 'GET',
    path: url.pathname + url.search,
    headers: tracked.requestHeaders.flat(),
    setHost: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    timeout: route.idleMs,
    signal,
  });
}

interface Head {
  readonly response: IncomingMessage;
  /** Set when the protocol was switched. */
  readonly socket: Socket | undefined;
}

function headOf(onward: ClientRequest): Promise<Head> {
  return new Promise((resolve, reject) => {
    const onTimeout = () => onward.destroy(new HopError('headers_timeout', 'the server took too long to answer'));
    onward.once('timeout', onTimeout);
    onward.once('response', (response: IncomingMessage) => {
      onward.off('timeout', onTimeout);
      resolve({ response, socket: undefined });
    });
    onward.once('upgrade', (response: IncomingMessage, socket: Socket, rest: Buffer) => {
      onward.off('timeout', onTimeout);
      if (rest.length > 0) socket.unshift(rest);
      resolve({ response, socket });
    });
    onward.on('error', (error) => reject(wireError(error, false, 0)));
  });
}

function answered(tracked: TrackedRequest, response: IncomingMessage, { direct }: Route): HeaderList {
  const { rawHeaders } = response;
  if (rawHeaders.length > 2 * MOST_HEADERS) {
    response.destroy();
    throw new HopError('headers_too_large', `the answer has more than ${MOST_HEADERS} header fields`);
  }
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  tracked.remoteAddress = direct ? response.socket.remoteAddress : undefined;
  tracked.answered({
    kind: 'answer',
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? '',
    headers,
  });
  return headers;
}

async function passBody(
  onward: ClientRequest,
  response: IncomingMessage,
  outgoing: ServerResponse,
  codings: ReturnType<typeof codingsOf>,
  traffic: PageTraffic,
  gone: AbortSignal,
): Promise<void> {
  const done = Promise.withResolvers<void>();
  const sink = {
    async write(chunk: Uint8Array): Promise<void> {
      traffic.receive(chunk.length);
      if (!outgoing.write(chunk)) await once(outgoing, 'drain', { signal: gone });
    },
  };
  const flow = { pause: () => response.pause(), resume: () => response.resume() };
  const body = new StreamedBody(sink, codings, traffic.options.maxBytes, flow, done.reject);
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    body.push(chunk);
  });
  response.once('end', () => body.finish().then(() => done.resolve(), done.reject));
  response.on('error', (error) => done.reject(wireError(error, true, bytes)));
  onward.once('timeout', () => {
    response.destroy(new HopError('idle_timeout', `the server fell silent after ${bytes} bytes of the body`));
  });
  try {
    await done.promise;
  } catch (error) {
    body.cancel();
    response.destroy();
    throw error;
  }
}

function joinSockets(client: Socket, upstream: Socket, traffic: PageTraffic): void {
  const close = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const socket of [client, upstream]) socket.setTimeout(0).on('error', close).on('close', close);
  traffic.ended.addEventListener('abort', close, { once: true });
  upstream.on('data', (chunk: Buffer) => {
    try {
      traffic.receive(chunk.length);
    } catch {
      // The load has been told.
      close();
    }
  });
  client.pipe(upstream);
  upstream.pipe(client);
}

/** A `CurlewError` (a closed network) is ours; everything else is what happened on the wire. */
function wireError(error: Error, headCame: boolean, bytes: number): Error {
  return error instanceof CurlewError ? error : failureOf(error, headCame, bytes);
}

function settle(error: unknown, tracked: TrackedRequest, { traffic }: Route, gone: AbortSignal): void {
  if (gone.aborted) tracked.dropped();
  else if (error instanceof HopError) tracked.failed(error);
  else {
    tracked.dropped();
    traffic.fail(error);
  }
}
