// What a program says of its own walk over start pages, checked: addresses that are some, states that fit together. Pure but
// for reading the given iterables.

import { z } from 'zod';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { canonicalUrl } from '../scraper/canonical-url.ts';
import type { PaginationUpdate } from './pagination-state.ts';

/** More start pages than this are taken for a generator that never ends. */
const MOST_START_PAGES = 100_000;

/** The start pages as they were given, each once. Throws `usage` when there is none, or one is no absolute address. */
export async function readStartPages(
  siteId: string,
  given: Iterable<string> | AsyncIterable<string>,
): Promise<readonly string[]> {
  if (typeof given !== 'object' || given === null)
    throw misused(`The start pages of ${siteId} are no list`, 'Name them as a list, or with a generator.');
  const pages = new Set<string>();
  for await (const page of given) {
    pages.add(assertAddress(`${siteId}: a start page`, page));
    if (pages.size > MOST_START_PAGES)
      throw misused(`${siteId} has more than ${MOST_START_PAGES} start pages`, 'Give a generator that ends.');
  }
  if (pages.size === 0) throw misused(`${siteId} has no start pages`, 'Name at least one.');
  return [...pages];
}

const Update = z.strictObject({
  collectedUrls: z.array(z.string()).readonly().optional(),
  failureCount: z.int().min(0).optional(),
  failureHistory: z
    .array(z.strictObject({ timestamp: z.date(), proxy: z.string(), error: z.string() }))
    .readonly()
    .optional(),
  completed: z.boolean().optional(),
  status: z.enum(['pending', 'paginating', 'completed', 'failed']).optional(),
});

/** The update, with `status` as what it says about `completed`. Throws `usage` for what is unknown or does not fit. */
export function readUpdate(startPageUrl: string, given: PaginationUpdate): Omit<PaginationUpdate, 'status'> {
  const parsed = Update.safeParse(given);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; ');
    throw misused(
      `This is no update of ${startPageUrl}: ${issues}`,
      `It may have: ${Object.keys(Update.shape).join(', ')}.`,
    );
  }
  const { status, ...update } = parsed.data;
  for (const url of update.collectedUrls ?? []) assertAddress(`${startPageUrl}: a collected URL`, url);
  if (status === undefined) return update as Omit<PaginationUpdate, 'status'>;
  const completed = status === 'completed';
  if (update.completed !== undefined && update.completed !== completed) {
    throw misused(
      `This is no update of ${startPageUrl}: its status is ${status}, and completed is ${update.completed}`,
      'Give one of both.',
    );
  }
  return { ...update, completed } as Omit<PaginationUpdate, 'status'>;
}

function assertAddress(what: string, address: unknown): string {
  try {
    canonicalUrl(String(address));
    return String(address);
  } catch (cause) {
    throw misused(
      `${what} is no address: ${JSON.stringify(address)}`,
      'Give an absolute URL with http or https.',
      cause,
    );
  }
}

function misused(message: string, remedy: string, cause?: unknown): CurlewError {
  return new CurlewError(ErrorCode.usage, message, { remedy, ...(cause !== undefined && { cause }) });
}
