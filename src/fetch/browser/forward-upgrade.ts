// A WebSocket of a page: after the handshake, which is asked for like any request, bytes go both ways until either side
// closes or the load is over.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { breakOff, OnwardRequest, type Route } from './onward-request.ts';
import type { PageTraffic } from './page-traffic.ts';

/** Resolves when the sockets are joined or the request has been broken off. Never rejects. */
export async function forwardUpgrade(incoming: IncomingMessage, client: Socket, route: Route): Promise<void> {
  const onward = new OnwardRequest(incoming, client, 'part', route);
  try {
    const head = await onward.open('upgrade');
    if (head?.socket === undefined) {
      head?.response.destroy();
      breakOff(client);
      return;
    }
    const fields = head.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    client.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`, 'latin1');
    join(client, head.socket, route.traffic);
  } catch (error) {
    onward.failed(error);
    breakOff(client);
  }
}

function join(client: Socket, upstream: Socket, traffic: PageTraffic): void {
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
