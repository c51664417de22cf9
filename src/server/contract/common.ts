// Shapes that many routes share. Like everything in this folder it imports nothing that needs Node: the dashboard takes its
// types from here. Times are ISO 8601 with a zone, durations are ms, lists are paged by an opaque cursor.

import { z } from 'zod';
import { HEALTHS } from '../../ledger/health.ts';
import { VERDICTS } from '../../ledger/verdict.ts';
import type { Json } from '../../platform/json.ts';

/** ISO 8601, UTC: `2026-01-31T14:02:07.000Z`. */
export const Time = z.iso.datetime().meta({ id: 'Time', description: 'ISO 8601, UTC' });

export const Verdict = z.enum(VERDICTS).meta({ id: 'Verdict', description: 'What became of an expected item' });

export const Health = z.enum(HEALTHS).meta({ id: 'Health' });

const count = z.int().min(0);

/** How many requests came to what. */
export const VerdictCounts = z
  .object({
    done: count,
    absent: count,
    skipped: count,
    failed: count,
    blocked: count,
    unknown: count,
    pending: count,
  })
  .meta({ id: 'VerdictCounts' });
export type VerdictCounts = z.infer<typeof VerdictCounts>;

/** Any JSON, as a record or an event holds it. */
export const AnyJson = z.custom<Json>();

/** Every error. `error` is a stable code; `message` says what happened to what, `remedy` what to do. */
export const ErrorAnswer = z
  .object({
    ok: z.literal(false),
    error: z.string().describe('a stable code'),
    message: z.string().optional(),
    remedy: z.string().optional(),
    details: z.array(z.string()).optional().describe('of bad parameters: one sentence each'),
    run_id: z.int().optional(),
    csv_version_id: z.int().optional(),
  })
  .meta({ id: 'Error' });
export type ErrorAnswer = z.infer<typeof ErrorAnswer>;

/** Something was done. */
export const Done = z.object({ ok: z.literal(true) }).meta({ id: 'Done' });

/** A number in a path. */
export const PathId = z.coerce.number().pipe(z.int().min(1));

export const RunPath = z.object({ id: PathId.describe('number of the run') });

/** A page of a list: at most `limit` rows after `cursor`, which is the `next` of the page before. */
export const Paging = {
  cursor: z.string().max(2_000).optional().describe('`next` of the page before'),
  limit: z.coerce.number().pipe(z.int().min(1).max(500)).default(100),
};

export const Order = z.enum(['asc', 'desc']);

/** Text to look for; case does not matter. */
export const Search = z.string().max(200).optional();

/**
 * What every page of a list ends with. A search looks at a bounded number of rows at a time: a page may then be short, even
 * empty, and still have a `next` to go on with.
 */
export const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.object({
    ok: z.literal(true),
    rows: z.array(row),
    next: z.string().nullable().describe('cursor of the next page; null: there is none'),
    total: count.nullable().describe('rows that fit; null when that is not known without looking at all'),
    searched: count.nullable().describe('with a search: rows looked at so far, this page included'),
  });
