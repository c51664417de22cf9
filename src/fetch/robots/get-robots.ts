// One GET for robots.txt over the transport. More of it than the parser reads is not waited for, so that a file without an
// end is neither held nor an error.

import type { HopFailureCode } from '../http/failure-code.ts';
import { headerValue } from '../http/header-list.ts';
import { DEFAULT_LIMITS, type HopLimits } from '../http/hop-options.ts';
import { type BodySink, ENOUGH, type HopAnswer, type HopRequest, type HopResult } from '../http/hop-result.ts';
import { type GetRobots, MAX_ROBOTS_BODY_BYTES, type RobotsAnswer } from './load-robots.ts';

/**
 * Sends one request at the pace of its host. robots.txt needs no other permission than the address guard's; `isElsewhere` when
 * a redirect has led to another host.
 */
export type SendRobots = (request: HopRequest, signal: AbortSignal, isElsewhere: boolean) => Promise<HopResult>;

export function robotsOver(send: SendRobots, userAgent: string): GetRobots {
  return async (url, signal, isElsewhere) => {
    const head = new BodyHead(MAX_ROBOTS_BODY_BYTES);
    const headers = [['User-Agent', userAgent]] as const;
    const result = await send({ url, method: 'GET', headers, sink: head, limits: LIMITS }, signal, isElsewhere);
    switch (result.kind) {
      case 'aborted':
        throw signal.reason;
      case 'failure':
        if (OURS.has(result.code)) return { kind: 'not_asked', failure: result };
        // Of a refusal or a redirect the head says it all, whatever becomes of the body.
        if (result.head !== undefined && !isSuccess(result.head.status)) return answer(result.head);
        return { kind: 'unreachable', reason: result.reason };
      case 'answer':
        return answer(result, head.bytes());
    }
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function answer({ status, headers }: Pick<HopAnswer, 'status' | 'headers'>, body: Uint8Array = NOTHING): RobotsAnswer {
  return { kind: 'answer', status, location: headerValue(headers, 'location'), body };
}

const NOTHING = new Uint8Array();

/** However long a file says that it is, its head is wanted. */
const LIMITS: HopLimits = { ...DEFAULT_LIMITS, maxDownloadBytes: Number.POSITIVE_INFINITY };

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
    this.#chunks.push(Buffer.from(chunk));
    this.#held += chunk.length;
    if (this.#held >= this.#most) throw ENOUGH;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks).subarray(0, this.#most);
  }
}
