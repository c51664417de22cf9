// How the answer to a request of a page ended on the wire. To node:http an answer is over when its last byte has come: that
// more came behind it, or that it was a reset that ended it, it tells the request at most, and nobody who reads the answer.

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { systemCodeOf } from '../../platform/errors.ts';
import { hasBody, spoiltBody } from '../http/answer-rules.ts';
import { HopError } from '../http/failure-code.ts';
import type { HeaderList } from '../outcome.ts';

export class AnswerEnd {
  readonly #client: ClientRequest;
  readonly #response: IncomingMessage;
  /** Kept: an answer that is over no longer tells. */
  readonly #socket: Socket;
  #error: Error | undefined;

  /** To be made when the head has come. */
  constructor(client: ClientRequest, response: IncomingMessage) {
    this.#client = client;
    this.#response = response;
    this.#socket = response.socket;
    client.on('error', (error) => {
      this.#error ??= error;
    });
  }

  /** What the request was told after the head had come. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** To be asked at once when the answer has ended: what is wrong with it, one turn later; undefined: nothing. */
  async spoilt(headers: HeaderList, bytes: number): Promise<HopError | undefined> {
    const gotAnother = this.#gotAnother();
    const { bytesRead } = this.#socket;
    // What the server sent in one go has been seen by then.
    await new Promise((resolve) => setImmediate(resolve));
    const error = this.#error;
    if (error instanceof HopError) return error;
    if (!hasBody(this.#client.method, this.#response.statusCode ?? 0)) return undefined;
    const gotMore = gotAnother || isParserError(error) || this.#socket.bytesRead > bytesRead;
    return spoiltBody(headers, { bytes, gotMore, wasReset: error !== undefined });
  }

  /**
   * A second answer right behind the first makes node:http destroy the connection without a word. Later its agent may do
   * the same with one that is not worth keeping.
   */
  #gotAnother(): boolean {
    const { destroyed, readableEnded, errored } = this.#socket;
    return this.#client.shouldKeepAlive && destroyed && !readableEnded && errored === null;
  }
}

/** Whether the parser of node:http could not make sense of what came. */
export function isParserError(error: Error | undefined): boolean {
  const code = error && systemCodeOf(error);
  return code?.startsWith('HPE_') === true && code !== 'HPE_INVALID_EOF_STATE';
}
