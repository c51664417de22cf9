// What a run says about one of its entries.

import { z } from 'zod';
import { ENTRY_KINDS } from '../../ledger/coverage/entry-coverage.ts';

const count = z.int().min(0);

export const EntryCoverage = z
  .object({
    entry: z.string(),
    kind: z.enum(ENTRY_KINDS),
    complete: z.boolean().nullable().describe('null for links: they claim nothing about what exists'),
    expected: count.nullable().describe('items there should be; null when nobody can say'),
    verdicts: z.record(z.string(), count).describe('what became of them'),
    statement: z.string().describe('why it counts as complete, or why not'),
  })
  .meta({ id: 'EntryCoverage' });
export type EntryCoverage = z.infer<typeof EntryCoverage>;
