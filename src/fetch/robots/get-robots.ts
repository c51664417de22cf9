// One GET for robots.txt over the transport. More of it than the parser reads is thrown away as it comes, so that a file
// of any size is neither held nor an error.

import { headerValue } from '../http/header-list.ts';
import type { BodySink } from '../http/hop-result.ts';
import type { HttpHop } from '../http/http-hop.ts';
import type { ProxyServer } from '../proxy/proxy-server.ts';
import { type GetRobots, MAX_ROBOTS_BODY_BYTES } from './load-robots.ts';

export interface RobotsTransport {
  readonly hop: HttpHop;
  readonly userAgent: string;
  readonly proxy: ProxyServer | undefined;
  /** Waits for the rate of the host. */
  readonly takeToken: (url: URL, signal: AbortSignal) => Promise<void>;
}

export function robotsOver({ hop, userAgent, proxy, takeToken }: RobotsTransport): GetRobots {
  return async (url, signal) => {
    await takeToken(url, signal);
    const head = new BodyHead(MAX_ROBOTS_BODY_BYTES);
    const headers = [['User-Agent', userAgent]] as const;
    const result = await hop.send({ url, method: 'GET', headers, sink: head, ...(proxy && { proxy }) }, signal);
    switch (result.kind) {
      case 'aborted':
        throw signal.reason;
      case 'failure':
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
