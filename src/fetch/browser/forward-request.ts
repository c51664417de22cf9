// Sends a request of a page on and passes the answer back, with the content codings taken off, so that a bomb is noticed
// before Chromium sees it. An answer that breaks off on the way breaks off for the page too.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamedBody } from '../http/body-receiver.ts';
import { codingsOf } from '../http/content-coding.ts';
import { HopError } from '../http/failure-code.ts';
import { breakOffAnswer, type OnwardHead, OnwardRequest, type Route, wireError } from './onward-request.ts';
import { passedOnHeaders, requestKind } from './proxy-headers.ts';

// RFC 9112 §4: a reason phrase says nothing. node:http reads bytes in it that it does not write.
const UNWRITABLE = /[^\t\x20-\x7e\x80-\xff]/g;

/** Resolves when the answer has been passed on or the request has been broken off. Never rejects. */
export async function forwardRequest(incoming: IncomingMessage, outgoing: ServerResponse, route: Route): Promise<void> {
  const onward = new OnwardRequest(incoming, outgoing, requestKind(incoming.headers), route);
  try {
    const head = await onward.open();
    if (head === undefined) breakOffAnswer(outgoing);
    else await passOn(onward, head, outgoing);
    onward.passedOn();
  } catch (error) {
    onward.failed(error);
    if (outgoing.headersSent) outgoing.destroy();
    else breakOffAnswer(outgoing);
  }
}

async function passOn(onward: OnwardRequest, head: OnwardHead, outgoing: ServerResponse): Promise<void> {
  const { response, headers, end } = head;
  const codings = codingsOf(headers);
  const { traffic, gone } = onward;
  const done = Promise.withResolvers<void>();
  const sink = {
    async write(chunk: Uint8Array): Promise<void> {
      traffic.receive(chunk.length);
      if (!outgoing.write(chunk)) await once(outgoing, 'drain', { signal: gone });
    },
  };
  const flow = { pause: () => response.pause(), resume: () => response.resume() };
  // The limit of the load is in the sink.
  const body = new StreamedBody(sink, codings, Number.POSITIVE_INFINITY, flow, done.reject);
  let bytes = 0;

  outgoing.sendDate = false;
  const passedOn = passedOnHeaders(headers, onward.kind, codings.length > 0);
  const reason = (response.statusMessage ?? '').replace(UNWRITABLE, '');
  outgoing.writeHead(response.statusCode ?? 502, reason, passedOn.flat());
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    body.push(chunk);
  });
  const finish = async () => {
    const spoilt = await end.spoilt(headers, bytes);
    if (spoilt !== undefined) throw spoilt;
    await body.finish();
  };
  response.once('end', () => finish().then(() => done.resolve(), done.reject));
  // The request is told more than the answer, and before.
  response.on('error', (error) => done.reject(wireError(end.error ?? error, true, bytes)));
  onward.onSilence(() => {
    // While Chromium takes its time, nothing is asked of the server.
    if (response.isPaused()) return undefined;
    return new HopError('idle_timeout', `the server fell silent after ${bytes} bytes of the body`);
  });
  try {
    await done.promise;
  } catch (error) {
    body.cancel();
    throw error;
  }
  outgoing.end();
}
