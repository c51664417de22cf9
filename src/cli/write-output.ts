// Writes what a command gives out: to standard output as fast as the reader takes it, or to a file that appears whole or
// not at all. What exists and is no ordinary file (a pipe, a device) is written to as it is, and never replaced.

import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CurlewError, ErrorCode, messageOf, systemCodeOf } from '../platform/errors.ts';
import { printable } from './format.ts';

const CHUNK_LENGTH = 64 * 1024;

export async function writeLines(output: string | undefined, lines: AsyncIterable<string>): Promise<void> {
  if (output === undefined) {
    const shown = process.stdout.isTTY ? forTerminal(lines) : lines;
    await pipeline(Readable.from(inChunks(shown)), process.stdout, { end: false });
  } else await toPath(output, (target) => pipeline(Readable.from(inChunks(lines)), target));
}

/** A file or a program gets what a site sent; a terminal must not obey it. */
async function* forTerminal(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield line.split('\n').map(printable).join('\n');
}

/** A write per line would cost more than making the line. */
async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** Hands `write` a stream for `path`. Throws `usage` when the path cannot be written. */
export async function toPath(path: string, write: (target: Writable) => Promise<void>): Promise<void> {
  try {
    if (await isSpecial(path)) {
      await write(createWriteStream(path));
      return;
    }
    const partial = `${path}.partial`;
    try {
      await write(createWriteStream(partial, { flush: true }));
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  } catch (error) {
    throw unwritable(path, error);
  }
}

async function isSpecial(path: string): Promise<boolean> {
  try {
    return !(await stat(path)).isFile();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function unwritable(path: string, error: unknown): unknown {
  switch (systemCodeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new CurlewError(ErrorCode.diskFull, `The disk is full: cannot write ${path}`, {
        remedy: 'Make room, or name another place with --output.',
        cause: error,
      });
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EISDIR':
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new CurlewError(ErrorCode.usage, `Cannot write ${path}: ${messageOf(error)}`, {
        remedy: 'Name another place with --output.',
        cause: error,
      });
    default:
      return error;
  }
}
