// A client without any help from an HTTP library, for tests: it sends one GET and reports every byte that came back
// and how the connection ended.

import { connect } from 'node:net';
import { systemCodeOf } from '../src/platform/errors.ts';

export interface RawAnswer {
  /** Status line and headers, or empty when none came. */
  readonly head: string;
  readonly body: Buffer;
  /** How it ended: by the server's FIN, or with a system error such as ECONNRESET. */
  readonly end: string;
}

/** `onBytes` is told the number of body bytes so far whenever more arrive. */
export function rawGet(url: string, onBytes: (count: number) => void = () => undefined): Promise<RawAnswer> {
  const { hostname, port, host, pathname, search } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    let end = 'FIN';
    socket.on('connect', () => socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n\r\n`));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      onBytes(split(received).body.length);
    });
    socket.on('error', (error) => {
      end = systemCodeOf(error) ?? error.message;
    });
    socket.on('close', () => resolve({ ...split(received), end }));
  });
}

function split(received: Buffer): { readonly head: string; readonly body: Buffer } {
  const blank = received.indexOf('\r\n\r\n');
  if (blank === -1) return { head: received.toString('latin1'), body: Buffer.alloc(0) };
  return { head: received.toString('latin1', 0, blank), body: received.subarray(blank + 4) };
}
