// Reads a proxy's handshake off a socket, no more of it than asked for: what follows belongs to the tunnel.
// The owner of the socket ends a wait that is too long by destroying it.

import type { Socket } from 'node:net';
import { HopError } from '../http/failure-code.ts';

/** Resolves with exactly `count` bytes. Rejects with `proxy_unreachable` when the connection ends before. */
export async function readBytes(socket: Socket, count: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let missing = count;
  while (missing > 0) {
    // What there is, though it be too little: a socket that has ended with something left in it says again and again that it
    // can be read, never that it has ended, and nothing else in the process gets its turn.
    const available = Math.min(missing, socket.readableLength);
    const bytes: Buffer | null = available > 0 ? socket.read(available) : null;
    if (bytes === null) await moreBytes(socket);
    else pieces.push(bytes);
    missing -= bytes?.length ?? 0;
  }
  return Buffer.concat(pieces, count);
}

/** Resolves with the bytes up to and including `end`. Rejects when there are more than `limit` of them. */
export async function readUntil(socket: Socket, end: string, limit: number): Promise<string> {
  let text = '';
  while (!text.endsWith(end)) {
    if (text.length >= limit) throw new HopError('proxy_unreachable', "the proxy's answer has no end");
    text += (await readBytes(socket, 1)).toString('latin1');
  }
  return text;
}

function moreBytes(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const onReadable = () => {
      forget();
      resolve();
    };
    const onClose = () => {
      forget();
      reject(socket.errored ?? new HopError('proxy_unreachable', 'the proxy closed the connection in its handshake'));
    };
    const forget = () => {
      socket.off('readable', onReadable).off('end', onClose).off('close', onClose);
    };
    if (socket.destroyed || socket.readableEnded) {
      onClose();
      return;
    }
    socket.on('readable', onReadable).on('end', onClose).on('close', onClose);
  });
}
