// One dead letter and its line. What cannot be read as one of ours is a plain URL that somebody pushed: it is never an error.

import { z } from 'zod';
import type { DeadLetterFacts, DeadLetterFilter } from './dead-letters.ts';
import { keepable } from './keepable.ts';

const DeadLetterLine = z.object({
  url: z.string(),
  reason: z.string(),
  status: z.int().nullable(),
  attempts: z.int().min(0),
  first: z.iso.datetime().nullable(),
  last: z.iso.datetime().nullable(),
});
export type DeadLetter = Readonly<z.infer<typeof DeadLetterLine>>;

/** The reason of a plain URL, of which nothing else is known. */
const UNKNOWN_REASON = 'unknown';

export function deadLetter({ url, reason, status, attempts, first, last }: DeadLetterFacts): DeadLetter {
  const iso = (at: number) => new Date(at).toISOString();
  return { url: keepable(url), reason, status: status ?? null, attempts, first: iso(first), last: iso(last) };
}

export function deadLetterLine(letter: DeadLetter): string {
  return JSON.stringify(letter);
}

export function readDeadLetter(line: string): DeadLetter {
  const plain = { url: line, reason: UNKNOWN_REASON, status: null, attempts: 0, first: null, last: null };
  return parseDeadLetter(line) ?? plain;
}

/**
 * What an item of the queue is about: the item itself, or the URL of the dead letter that it is. `LMOVE` from the dead letters
 * to the queue brings such lines, and a dead letter about another one has the line of that in the place of its URL.
 */
export function subjectOf(item: string): string {
  const letter = parseDeadLetter(item);
  return letter === undefined ? item : subjectOf(letter.url);
}

export function fits(letter: DeadLetter, { reason, host }: DeadLetterFilter): boolean {
  if (reason !== undefined && letter.reason !== reason) return false;
  return host === undefined || URL.parse(subjectOf(letter.url))?.host === host;
}

/** Longest line that is read as a dead letter, in characters: a URL of 8 KiB, every byte of it escaped, and the rest. */
const LONGEST_LINE = 64 * 1024;

/** Undefined for what is no line of ours. */
function parseDeadLetter(line: string): DeadLetter | undefined {
  if (line.length > LONGEST_LINE || !/^\s*\{/.test(line)) return undefined;
  try {
    return DeadLetterLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
