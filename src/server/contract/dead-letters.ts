// Dead letters of the fetcher: looking at them, putting them back, forgetting them.

import { z } from 'zod';
import { ErrorAnswer, Paging, pageOf, Search, Time } from './common.ts';
import { changing, reading } from './route.ts';

const count = z.int().min(0);

const DeadLetter = z
  .object({
    url: z.string(),
    host: z.string(),
    reason: z.string(),
    status: z.int().nullable(),
    attempts: count,
    first: Time.nullable(),
    last: Time.nullable(),
  })
  .meta({ id: 'DeadLetter' });

/** Which dead letters: those that fit all that is given; `all` for every one. */
const WhichLetters = z
  .strictObject({
    reason: z.string().min(1).max(500).optional(),
    host: z.string().min(1).max(300).optional(),
    all: z.literal(true).optional(),
  })
  .refine(({ reason, host, all }) => reason !== undefined || host !== undefined || all === true, {
    error: 'name a reason or a host, or say all: true',
  });

const Changed = z.object({ ok: z.literal(true), count });

export const DEAD_LETTER_ROUTES = {
  deadLetters: reading({
    path: '/api/dead-letters',
    tag: 'hosts',
    summary: 'Addresses that the fetcher gave up, oldest first',
    query: z.object({ ...Paging, reason: z.string().optional(), host: z.string().optional(), search: Search }),
    answers: {
      200: pageOf(DeadLetter).extend({
        reasons: z.array(z.object({ reason: z.string(), count })).describe('of all; the most frequent first'),
      }),
      503: ErrorAnswer,
    },
  }),
  requeueDeadLetters: changing({
    method: 'POST',
    path: '/api/dead-letters/requeue',
    tag: 'hosts',
    summary: 'Requeue dead letters, at the end of the queue',
    body: WhichLetters,
    answers: { 200: Changed, 503: ErrorAnswer },
  }),
  dropDeadLetters: changing({
    method: 'POST',
    path: '/api/dead-letters/drop',
    tag: 'hosts',
    summary: 'Drop dead letters',
    body: WhichLetters,
    answers: { 200: Changed, 503: ErrorAnswer },
  }),
} as const;
