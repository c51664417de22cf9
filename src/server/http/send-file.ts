// Sends a file, or the part of it that the caller asks for. A part is that of the same file: it is opened once, and its size,
// time and inode make its ETag.

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readRange } from './byte-range.ts';
import { HttpError } from './http-error.ts';

/** With `own` headers, its type among them. False: there is no such file. Throws 416 for a part that is not in it. */
export async function sendFile(
  path: string,
  own: Readonly<Record<string, string>>,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  // Not what a link leads to: it could lead anywhere.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const found = await file.stat();
    if (!found.isFile()) {
      await file.close();
      return false;
    }
    const { size, mtimeMs, ino } = found;
    const etag = `"${[size, Math.round(mtimeMs), ino].map((part) => part.toString(36)).join('-')}"`;
    const range = readRange(headers.range, text(headers['if-range']), size, { etag, modifiedAt: mtimeMs });
    if (range.kind === 'unsatisfiable') throw notInFile(size);
    reply.headers({ ...own, 'accept-ranges': 'bytes', etag, 'last-modified': new Date(mtimeMs).toUTCString() });
    if (range.kind === 'part') await sendPart(file, range, size, reply);
    else await reply.header('content-length', size).send(file.createReadStream());
    return true;
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
}

async function sendPart(
  file: FileHandle,
  { first, last }: { readonly first: number; readonly last: number },
  size: number,
  reply: FastifyReply,
): Promise<void> {
  await reply
    .code(206)
    .headers({ 'content-range': `bytes ${first}-${last}/${size}`, 'content-length': last - first + 1 })
    .send(file.createReadStream({ start: first, end: last }));
}

function notInFile(size: number): HttpError {
  const headers = { 'content-range': `bytes */${size}` };
  return new HttpError(416, 'range_not_satisfiable', { message: `The file has ${size} bytes.` }, headers);
}

function text(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
