// One dead letter and its line. What cannot be read as one of ours is a plain URL that somebody pushed: it is never an error.

import { z } from 'zod';
import type { DeadLetterFacts, DeadLetterFilter } from './dead-letters.ts';
import { keepable } from './queued-url.ts';

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
  if (!line.startsWith('{')) return plain;
  try {
    return DeadLetterLine.safeParse(JSON.parse(line)).data ?? plain;
  } catch {
    return plain;
  }
}

export function fits(letter: DeadLetter, { reason, host }: DeadLetterFilter): boolean {
  if (reason !== undefined && letter.reason !== reason) return false;
  return host === undefined || URL.parse(letter.url)?.host === host;
}
