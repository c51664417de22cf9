// Hosts with their breaker, rate and robots.txt, and the proxies that rest.

import { z } from 'zod';
import { Time } from './common.ts';
import { reading } from './route.ts';

const count = z.int().min(0);

/** What is waited for before more is asked of a host, or sent through a proxy. */
export const Waiting = z
  .object({
    host: z.string().describe('host:port, or the name of a proxy'),
    until: Time.nullable().describe('when it is asked again; null: as soon as its turn comes'),
    reason: z.string().describe('breaker open: 503 Service Unavailable'),
  })
  .meta({ id: 'Waiting' });
export type Waiting = z.infer<typeof Waiting>;

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
    waiting: Waiting.nullable().describe('what is waited for before more is asked of it; null: it is asked as usual'),
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

const RestingProxy = z
  .object({
    site: z.string(),
    proxy: z.string().describe('its name, without user and password'),
    failures: count,
    failedAt: Time,
    lastError: z.string(),
    until: Time.describe('when it is back'),
  })
  .meta({ id: 'RestingProxy' });

export const HOST_ROUTES = {
  hosts: reading({
    path: '/api/hosts',
    tag: 'hosts',
    summary: 'Every host that was asked, and the proxies that rest',
    answers: { 200: z.object({ ok: z.literal(true), hosts: z.array(HostRow), proxies: z.array(RestingProxy) }) },
  }),
} as const;
