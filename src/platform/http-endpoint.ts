// Answers GET on a port: for health and metrics, which must not need more than Node. It opens no connection of its own.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { CurlewError, ErrorCode, messageOf } from './errors.ts';

export interface EndpointAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export interface HttpEndpoint {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string;
  /** Ends connections at once. Twice is fine. */
  close(): Promise<void>;
}

/**
 * Listens. `answer` is given the path of every GET or HEAD without its query; undefined is a 404. Throws `usage` when the port
 * cannot be had.
 */
export async function listenHttp(
  host: string,
  port: number,
  answer: (path: string) => Promise<EndpointAnswer | undefined>,
): Promise<HttpEndpoint> {
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').split('?', 1).join();
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const given = isRead ? await answer(path).catch(failed) : NOT_ALLOWED;
    const { status, type, body } = given ?? NOT_FOUND;
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
  });
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw new CurlewError(ErrorCode.usage, `Nothing can listen on ${host}:${port}: ${messageOf(error)}`, {
      remedy: 'Choose another port, or 0 for any free one.',
      cause: error,
    });
  }
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const plain = (status: number, body: string): EndpointAnswer => ({ status, type: 'text/plain; charset=utf-8', body });
const NOT_FOUND = plain(404, 'not found\n');
const NOT_ALLOWED = plain(405, 'only GET\n');

function failed(error: unknown): EndpointAnswer {
  return plain(500, `${messageOf(error)}\n`);
}
