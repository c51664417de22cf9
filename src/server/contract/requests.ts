// Requests and records of a run, and what happened to one request.

import { z } from 'zod';
import { AnyJson, ErrorAnswer, Order, Paging, PathId, pageOf, RunPath, Search, Time, Verdict } from './common.ts';
import { changing, reading } from './route.ts';
import { StoredEvent } from './runs.ts';

const count = z.int().min(0);

const RequestState = z.enum(['ready', 'claimed', 'delayed', 'settled', 'set_aside']).meta({ id: 'RequestState' });

export const RequestRow = z
  .object({
    id: z.int(),
    method: z.string(),
    url: z.string(),
    host: z.string(),
    step: z.string().nullable(),
    state: RequestState,
    verdict: Verdict.nullable().describe('null while it is pending'),
    status: z.int().nullable().describe('of the last answer'),
    reason: z.string().nullable(),
    attempts: count,
    dueAt: Time.nullable().describe('of a delayed one'),
    depth: count,
  })
  .meta({ id: 'RequestRow' });
export type RequestRow = z.infer<typeof RequestRow>;

export const RecordRow = z
  .object({
    id: z.int(),
    kind: z.string(),
    valid: z.boolean(),
    data: AnyJson,
    errors: z.array(z.object({ path: z.string(), message: z.string() })),
    request: z.int(),
    url: z.string().describe('the page it was found on'),
    step: z.string(),
  })
  .meta({ id: 'RecordRow' });
export type RecordRow = z.infer<typeof RecordRow>;

export const Exchange = z
  .object({
    id: z.int(),
    hop: count.describe('0 for the first, then redirects'),
    at: Time,
    durationMs: z.int(),
    url: z.string(),
    status: z.int(),
    contentType: z.string().nullable(),
    bodySize: count,
    sha256: z.string(),
    fileName: z.string().nullable().describe('of a download'),
    bodyUrl: z.string().nullable().describe('download of the body; null when there is none'),
  })
  .meta({ id: 'Exchange' });

/** A step of the story of a request or case, as a sentence. */
export const StoryStep = z
  .object({
    at: Time.nullable(),
    what: z.string(),
    run: z.int().nullable(),
    exchange: z.int().nullable(),
    data: AnyJson.nullable(),
  })
  .meta({ id: 'StoryStep' });
export type StoryStep = z.infer<typeof StoryStep>;

const RequestDetail = z
  .object({
    request: RequestRow,
    parent: z.object({ id: z.int(), url: z.string() }).nullable().describe('the page that asked for it'),
    ids: z.array(
      z.object({ speculator: z.string(), partition: z.string(), id: z.number(), verdict: z.string().nullable() }),
    ),
    startPages: z.array(z.string()).describe('that listed it'),
    story: z.array(StoryStep).describe('what happened, in order'),
    exchanges: z.array(Exchange),
    events: z.array(StoredEvent),
    records: z.array(RecordRow),
    canRequeue: z.string().nullable().describe('null when it can be requeued; else why not'),
  })
  .meta({ id: 'RequestDetail' });

const RequestPath = RunPath.extend({ request: PathId });

export const REQUEST_ROUTES = {
  listRequests: reading({
    path: '/api/runs/:id/requests',
    tag: 'requests',
    summary: 'Requests of a run',
    params: RunPath,
    query: z.object({
      ...Paging,
      verdict: z.enum([...Verdict.options, 'pending']).optional(),
      host: z.string().max(300).optional(),
      step: z.string().max(200).optional(),
      reason: z.string().max(2_000).optional(),
      search: Search.describe('part of the address or reason'),
      sort: z.enum(['id', 'url', 'status', 'verdict', 'attempts']).default('id'),
      order: Order.default('asc'),
    }),
    answers: { 200: pageOf(RequestRow), 404: ErrorAnswer },
  }),
  request: reading({
    path: '/api/runs/:id/requests/:request',
    tag: 'requests',
    summary: 'One request, and what happened to it, in order',
    params: RequestPath,
    answers: { 200: RequestDetail.extend({ ok: z.literal(true) }), 404: ErrorAnswer },
  }),
  requeueRequest: changing({
    method: 'POST',
    path: '/api/runs/:id/requests/:request/requeue',
    tag: 'requests',
    summary: 'Put a request back into the queue of a run that does not run; resume it then',
    params: RequestPath,
    answers: { 200: z.object({ ok: z.literal(true), requeued: count }), 404: ErrorAnswer, 409: ErrorAnswer },
  }),
  listRecords: reading({
    path: '/api/runs/:id/records',
    tag: 'requests',
    summary: 'Records of a run',
    params: RunPath,
    query: z.object({
      ...Paging,
      kind: z.string().max(200).optional(),
      valid: z.enum(['true', 'false']).optional(),
      search: Search.describe('part of the data'),
      sort: z
        .string()
        .regex(/^(id|data\.[\w -]{1,64})$/)
        .default('id')
        .describe('id, or data.<field>'),
      order: Order.default('asc'),
    }),
    answers: { 200: pageOf(RecordRow), 404: ErrorAnswer },
  }),
  exchangeBody: reading({
    path: '/api/exchanges/:id/body',
    tag: 'requests',
    summary: 'An archived body. Always an attachment, or with view=source plain text: never a page of this origin',
    params: z.object({ id: PathId }),
    query: z.object({ view: z.literal('source').optional() }),
    answers: {
      200: { contentType: 'application/octet-stream', description: 'the body, decoded' },
      404: ErrorAnswer,
      410: ErrorAnswer,
      413: ErrorAnswer,
    },
  }),
} as const;
