// The service itself: whether it is well, what happens now, how it is called.

import { z } from 'zod';
import { AnyJson, Done, ErrorAnswer } from './common.ts';
import { openToAll, reading } from './route.ts';
import { RunRow, StoredEvent } from './runs.ts';

const Check = z.object({ ok: z.boolean(), detail: z.string() });

const HealthReport = z
  .object({
    ok: z.boolean(),
    checks: z.object({
      config: Check,
      filesystem: Check,
      database: Check,
      consistency: Check.describe('told, and not counted'),
      index: Check.describe('whether the site confirmed the index of each source; told, and not counted'),
      fixity: Check.describe('what the scrubber found; told, and not counted'),
    }),
  })
  .meta({ id: 'HealthReport' });

/** What the event stream sends, by name of the event. `event` has an id to resume from, the others have none. */
export const STREAM_EVENTS = {
  /** Something became true. */
  event: StoredEvent,
  /** A run moved on, began or ended: its row as it is now. At most once a second for each run. */
  run: RunRow,
  /** Sent first. `resumed`: whether everything after Last-Event-ID follows; false when there is too much of it, then load anew. */
  hello: z.object({ lastEventId: z.int(), resumed: z.boolean() }),
  /** Every 15 s when nothing else is sent. */
  heartbeat: z.object({ now: z.string() }),
} as const;

export const SERVICE_ROUTES = {
  liveness: openToAll({
    method: 'GET',
    path: '/healthz',
    tag: 'service',
    summary: 'Whether the server answers. It says nothing else, and needs no token: for load balancers and containers',
    answers: { 200: Done },
  }),
  health: reading({
    path: '/api/health',
    tag: 'service',
    summary: 'Whether a run could begin here: settings, disk, ledger, files',
    answers: { 200: HealthReport, 503: HealthReport },
  }),
  events: reading({
    path: '/api/events/stream',
    tag: 'service',
    summary: 'Server-sent events: event, run, hello, heartbeat. Resumes from Last-Event-ID',
    query: z.object({
      run: z.coerce.number().pipe(z.int().min(1)).optional().describe('of this run only'),
      after: z.coerce.number().pipe(z.int().min(0)).optional().describe('as Last-Event-ID, for the first connection'),
    }),
    answers: {
      200: { contentType: 'text/event-stream', description: 'see STREAM_EVENTS' },
      404: ErrorAnswer,
      503: ErrorAnswer,
    },
  }),
  metrics: reading({
    path: '/metrics',
    tag: 'service',
    summary: 'Metrics for Prometheus',
    answers: { 200: { contentType: 'text/plain', description: 'Prometheus text format' } },
  }),
  openapi: reading({
    path: '/api/openapi.json',
    tag: 'service',
    summary: 'This API as an OpenAPI 3.1 document',
    answers: { 200: z.record(z.string(), AnyJson) },
  }),
} as const;
