// How current the index of a mirror's source is and how much of it is held, as the overview and the coverage tell it.

import { z } from 'zod';

const count = z.int().min(0);
const text = z.string().nullable();

/** Rows of an index that have the same fault. */
export const OddRows = z
  .object({
    count,
    line: z.int().describe('of the first; the header is line 1'),
    reason: z.string().describe('what is wrong with the first'),
  })
  .meta({ id: 'OddRows' });

/** How current the index of a source is. */
export const IndexState = z
  .object({
    source: z.string(),
    state: z
      .enum(['none', 'confirmed', 'not_confirmed'])
      .describe('none: no version could ever be used; not_confirmed: the last look brought nothing that could be used'),
    csv_version_id: z.int().nullable().describe('the version in use'),
    row_count: count.nullable(),
    unreadable_rows: OddRows.nullable().describe('rows that no case could be made from, although they may have one'),
    rows_without_file: OddRows.nullable().describe('rows that name a case and no file of it'),
    fetched_at: text.describe('when its bytes came'),
    confirmed_at: text.describe('when the site last gave the same bytes, or said that they have not changed'),
    age_seconds: count.nullable().describe('since it was confirmed'),
    checked_at: text.describe('when the index was last asked for'),
    problem: z
      .object({ csv_version_id: z.int(), reason: z.string() })
      .nullable()
      .describe('what the last look brought; null when that was good'),
  })
  .meta({ id: 'IndexState' });
export type IndexState = z.infer<typeof IndexState>;

/** How much of a source is held, as in /api/coverage. */
export const MirrorCoverage = z
  .object({
    source: z.string(),
    title: z.string(),
    cases_wanted: count,
    cases_held: count.describe('of those that are wanted'),
  })
  .meta({ id: 'MirrorCoverage' });
export type MirrorCoverage = z.infer<typeof MirrorCoverage>;
