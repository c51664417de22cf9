// What to fetch, as a person writes it: addresses, files of them, or standard input. Whether each line is an address is
// not decided here: what is none has an outcome that says so.

import { createReadStream, existsSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CurlewError, ErrorCode } from '../platform/errors.ts';

/**
 * Every address in the order given. In files, empty lines and those that begin with # are passed over. Throws `usage` when
 * nothing is left: a file that is empty by mistake shall not pass for work that was done.
 */
export async function readAddresses(sources: readonly string[]): Promise<string[]> {
  const addresses: string[] = [];
  for (const source of sources) {
    const lines = source === '-' ? process.stdin : isFile(source) ? createReadStream(source) : undefined;
    if (lines === undefined) addresses.push(source);
    else for await (const line of readLines(lines)) addresses.push(line);
  }
  if (addresses.length === 0) throw empty(sources);
  return addresses;
}

function empty(sources: readonly string[]): CurlewError {
  const names = sources.map((source) => (source === '-' ? 'standard input' : source)).join(', ');
  return new CurlewError(ErrorCode.usage, `There is no address in ${names}.`, {
    remedy: 'Write one address a line; empty lines and those that begin with # are passed over.',
  });
}

/** A file or a pipe. An address stays one, even where there is a file of that name. */
export function isFile(source: string): boolean {
  return !/^https?:/i.test(source) && existsSync(source) && !statSync(source).isDirectory();
}

async function* readLines(input: Readable): AsyncGenerator<string> {
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const text = line.trim();
    if (text !== '' && !text.startsWith('#')) yield text;
  }
}
