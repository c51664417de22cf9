// One GET for robots.txt over the transport. More of it than the parser reads is thrown away as it comes, so that a file
// of any size is neither held nor an error.

import type { HopFailureCode } from '../http/failure-code.ts';
import { headerValue } from '../http/header-list.ts';
import type { BodySink, HopRequest, HopResult } from '../http/hop-result.ts';
import { type GetRobots, MAX_ROBOTS_BODY_BYTES } from './load-robots.ts';

/** Sends one request at the pace of its host. robots.txt needs no other permission than the address guard's. */
export type SendRobots = (request: HopRequest, signal: AbortSignal) => Promise<HopResult>;

export function robotsOver(send: SendRobots, userAgent: string): GetRobots {
  return async (url, signal) => {
    const head = new BodyHead(MAX_ROBOTS_BODY_BYTES);
    const headers = [['User-Agent', userAgent]] as const;
    const result = await send({ url, method: 'GET', headers, sink: head }, signal);
    switch (result.kind) {
      case 'aborted':
        throw signal.reason;
      case 'failure':
        if (OURS.has(result.code)) return { kind: 'not_asked', failure: result };
        return { kind: 'unreachable', reason: result.reason };
      case 'answer':
        return {
          kind: 'answer',
          status: result.status,
          location: headerValue(result.headers, 'location'),
          body: head.bytes(),
        };
    }
  };
}

/** Failures on our side of the site. */
const OURS: ReadonlySet<HopFailureCode> = new Set([
  'address_refused',
  'proxy_unreachable',
  'proxy_auth',
  'proxy_refused',
]);

/** Keeps the beginning of a body. */
class BodyHead implements BodySink {
  readonly #most: number;
  readonly #chunks: Uint8Array[] = [];
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#held >= this.#most) return;
    this.#chunks.push(Buffer.from(chunk));
    this.#held += chunk.length;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks).subarray(0, this.#most);
  }
}
