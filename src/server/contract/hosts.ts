// Hosts with their breaker, rate and robots.txt; proxies that rest; dead letters of the fetcher.

import { z } from 'zod';
import { ErrorAnswer, Paging, pageOf, Search, Time } from './common.ts';
import { changing, reading } from './route.ts';

const count = z.int().min(0);

export const HostRow = z
  .object({
    host: z.string(),
    breaker: z.object({
      state: z.enum(['closed', 'open', 'half_open']).describe('closed: requests go there; open: it is down'),
      failures: count.describe('in a row'),
      nextProbeAt: Time.nullable(),
    }),
    intervalMs: z.number().describe('the smallest gap between two requests, crawl-delay included; 0: no limit'),
    perSecond: z.number().nullable().describe('the limit; null: none'),
    heldUntil: Time.nullable().describe('a Retry-After in force'),
    requests: count.describe('that ever left for it'),
    allowed: count.describe('by robots.txt'),
    disallowed: count,
    robots: z.array(
      z.object({
        origin: z.string(),
        found: z.enum(['found', 'unavailable', 'unreachable']),
        fetchedAt: Time,
        reason: z.string(),
        text: z.string().nullable().describe('at most the first 64 KB'),
      }),
    ),
  })
  .meta({ id: 'HostRow' });
export type HostRow = z.infer<typeof HostRow>;

export const RestingProxy = z
  .object({
    site: z.string(),
    proxy: z.string().describe('its name, without user and password'),
    failures: count,
    failedAt: Time,
    lastError: z.string(),
    until: Time.describe('when it is back'),
  })
  .meta({ id: 'RestingProxy' });

export const DeadLetter = z
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
  .object({
    reason: z.string().min(1).max(500).optional(),
    host: z.string().min(1).max(300).optional(),
    all: z.literal(true).optional(),
  })
  .refine(({ reason, host, all }) => reason !== undefined || host !== undefined || all === true, {
    error: 'name a reason or a host, or say all: true',
  });

const Changed = z.object({ ok: z.literal(true), count });

export const HOST_ROUTES = {
  hosts: reading({
    path: '/api/hosts',
    tag: 'hosts',
    summary: 'Every host that was asked, and the proxies that rest',
    answers: { 200: z.object({ ok: z.literal(true), hosts: z.array(HostRow), proxies: z.array(RestingProxy) }) },
  }),
  deadLetters: reading({
    path: '/api/dead-letters',
    tag: 'hosts',
    summary: 'URLs that the fetcher gave up, oldest first',
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
    summary: 'Put dead letters back to the end of the queue',
    body: WhichLetters,
    answers: { 200: Changed, 503: ErrorAnswer },
  }),
  dropDeadLetters: changing({
    method: 'POST',
    path: '/api/dead-letters/drop',
    tag: 'hosts',
    summary: 'Forget dead letters',
    body: WhichLetters,
    answers: { 200: Changed, 503: ErrorAnswer },
  }),
} as const;
