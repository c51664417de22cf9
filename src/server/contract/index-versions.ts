// Versions of the index of a source, and what changed between two of them.

import { z } from 'zod';
import { ErrorAnswer, PathId } from './common.ts';
import { OddRows } from './index-state.ts';
import { reading } from './route.ts';

const count = z.int().min(0);
const text = z.string().nullable();

export const IndexVersion = z
  .object({
    id: z.int(),
    source: z.string(),
    fetched_at: z.string(),
    sha256: z.string(),
    row_count: count,
    unreadable_rows: OddRows.nullable().describe('rows that no case could be made from, although they may have one'),
    valid: z.boolean(),
    error_message: text.describe('why it was refused'),
    new_count: count.describe('cases that it added or brought back'),
    removed_count: count,
    changed_count: count.describe('cases of which it changed a field'),
  })
  .meta({ id: 'IndexVersion' });
export type IndexVersion = z.infer<typeof IndexVersion>;

const ComparedCase = z
  .object({
    case_id: z.int(),
    actions_token: z.string(),
    title: text,
    cause_number: text,
    judgment_date: text,
    is_criminal: z.boolean(),
  })
  .meta({ id: 'ComparedCase' });

export const VERSION_ROUTES = {
  versionDiff: reading({
    path: '/api/db/csv_versions/:id/diff',
    tag: 'mirror',
    summary: 'What is different between a version of the index and another, by default the one before',
    params: z.object({ id: PathId }),
    query: z.object({ against: PathId.optional().describe('another version of the same source') }),
    answers: {
      200: z.object({
        ok: z.literal(true),
        version: IndexVersion,
        against: IndexVersion.nullable().describe('null: there is none before it, and all its cases are new'),
        new_cases: z.array(ComparedCase.extend({ returned: z.boolean().describe('it had been listed before') })),
        removed_cases: z.array(ComparedCase),
        changed_cases: z.array(
          ComparedCase.extend({ fields: z.array(z.object({ field: z.string(), old: text, new: text })) }),
        ),
      }),
      404: ErrorAnswer,
    },
  }),
} as const;
