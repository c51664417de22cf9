// A site of pages of any size, which counts how often each was asked for: `/page/7?bytes=100000`. Closed after the test.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface BigPages {
  readonly url: string;
  /** Paths in the order in which they were asked for. */
  readonly asked: readonly string[];
}

export async function startBigPages(pageBytes: number): Promise<BigPages> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'text/html');
    response.end(`${request.url} `.padEnd(pageBytes, 'x'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
