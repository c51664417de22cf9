// One case at a time: fetching it again, and what became of the cases of one run.

import { z } from 'zod';
import { DOWNLOAD_STATUSES } from '../../ledger/mirror/download-status.ts';
import { ErrorAnswer, Order, Paging, pageOf, RunPath, Search, Time } from './common.ts';
import { changing, reading } from './route.ts';
import { Begun } from './runs.ts';

const count = z.int().min(0);
const text = z.string().nullable();

/** A case in one run: what became of it there, whatever became of it later. */
export const RunCaseRow = z
  .object({
    id: z.int(),
    source: z.string(),
    token: z.string(),
    title: text,
    status: z.enum(DOWNLOAD_STATUSES).describe('in this run'),
    attempts: count.describe('in this run'),
    lastAttemptAt: Time.nullable(),
    reason: text.describe('error code'),
    message: text,
    sizeBytes: count.nullable(),
    sha256: text,
  })
  .meta({ id: 'RunCaseRow' });
export type RunCaseRow = z.infer<typeof RunCaseRow>;

export const CASE_ROUTES = {
  fetchCase: changing({
    method: 'POST',
    path: '/api/cases/:source/:token/fetch',
    tag: 'mirror',
    summary: 'Fetch the file of one case, again if it is held, in a run of its own',
    params: z.object({ source: z.string().max(200), token: z.string().max(500) }),
    answers: { 202: Begun, 404: ErrorAnswer, 409: ErrorAnswer, 500: ErrorAnswer },
  }),
  runCases: reading({
    path: '/api/runs/:id/cases',
    tag: 'mirror',
    summary: 'Cases of a mirror run and what became of each in it; of other runs there are none',
    params: RunPath,
    query: z.object({
      ...Paging,
      status: z
        .enum([...DOWNLOAD_STATUSES, 'unfinished'])
        .optional()
        .describe('unfinished: pending or in_progress'),
      reason: z.string().max(200).optional().describe('error code'),
      search: Search.describe('part of title, token, error code or message'),
      sort: z.enum(['id', 'title', 'status', 'attempts', 'lastAttemptAt', 'reason', 'sizeBytes']).default('id'),
      order: Order.default('asc'),
    }),
    answers: { 200: pageOf(RunCaseRow), 404: ErrorAnswer },
  }),
} as const;
