// Requests and records of a run, what happened to one request, and putting requests back.

import type { FastifyInstance } from 'fastify';
import { fieldOf, listedRecords, type RecordReportRow } from '../../ledger/reports/record-report.ts';
import { listedRequests, type RequestReportRow } from '../../ledger/reports/request-report.ts';
import type { ReportedRun, RunCounts } from '../../ledger/reports/run-report.ts';
import type { Verdict } from '../../ledger/verdict.ts';
import type { RecordRow, RequestRow } from '../contract/requests.ts';
import { ROUTES } from '../contract/routes.ts';
import { bindRoute } from '../http/bind-route.ts';
import { cleanText } from '../http/clean.ts';
import { HttpError } from '../http/http-error.ts';
import { iso } from '../http/iso.ts';
import { describeExchange } from '../runs/describe-exchange.ts';
import { obstacles } from '../runs/describe-run.ts';
import { pageOfIds } from '../runs/page-of-ids.ts';
import { requestStory } from '../runs/request-story.ts';
import { requireRun } from '../runs/require-run.ts';
import type { ServerContext } from '../server-context.ts';
import { tellEvent } from '../stream/event-hub.ts';

export function bindRequestRoutes(app: FastifyInstance, context: ServerContext): void {
  const { ledger } = context;
  const { reports } = ledger;

  bindRoute(app, ROUTES.listRequests).to(async ({ params: { id }, query }) => {
    const run = await requireRun(ledger, id);
    const { sort, order, cursor, limit, ...filter } = query;
    const by = sort === 'id' ? undefined : { sql: sort, values: [] };
    const page = await pageOfIds(context, run, listedRequests(run.id, filter), { cursor, limit, order, by });
    const { verdict, ...others } = filter;
    const isCounted = Object.values(others).every((value) => value === undefined);
    return {
      ok: true,
      rows: (await reports.requestRows(page.ids)).map(tellRequest),
      next: page.next,
      total: page.total ?? (isCounted ? totalOf(await reports.countsOf(run.id), verdict) : null),
      searched: page.searched,
    };
  });

  bindRoute(app, ROUTES.listRecords).to(async ({ params: { id }, query }) => {
    const run = await requireRun(ledger, id);
    const { sort, order, cursor, limit, kind, search } = query;
    const valid = query.valid === undefined ? undefined : query.valid === 'true';
    const by = sort === 'id' ? undefined : fieldOf(sort.slice('data.'.length));
    const listed = listedRecords(run.id, { kind, valid, search });
    const page = await pageOfIds(context, run, listed, { cursor, limit, order, by });
    const isCounted = kind === undefined && search === undefined;
    return {
      ok: true,
      rows: (await reports.recordRows(page.ids)).map(tellRecord),
      next: page.next,
      total: page.total ?? (isCounted ? recordsOf(await reports.countsOf(run.id), valid) : null),
      searched: page.searched,
    };
  });

  bindRoute(app, ROUTES.request).to(async ({ params: { id, request } }) => {
    const run = await requireRun(ledger, id);
    const facts = await reports.factsOf(run.id, request);
    if (facts === undefined) throw requestNotFound(id, request);
    const exchanges = await ledger.exchangesOf(facts.request.id);
    return {
      ok: true,
      request: tellRequest(facts.request),
      parent: facts.parent === undefined ? null : { id: facts.parent.id, url: facts.parent.url },
      ids: facts.probes.map((probe) => ({ ...probe, verdict: probe.verdict ?? null })),
      startPages: [...facts.startPages],
      story: requestStory(facts, exchanges),
      exchanges: await Promise.all(exchanges.map((exchange) => describeExchange(context, exchange))),
      events: facts.events.map(tellEvent),
      records: facts.records.map(tellRecord),
      canRequeue: await requeueObstacle(context, run, facts.request),
    };
  });

  bindRoute(app, ROUTES.requeueRequest).to(async ({ params: { id, request } }) => {
    const run = await requireRun(ledger, id);
    const row = (await reports.factsOf(run.id, request))?.request;
    if (row === undefined) throw requestNotFound(id, request);
    const obstacle = await requeueObstacle(context, run, row);
    if (obstacle !== null) throw new HttpError(409, 'not_requeueable', { message: obstacle });
    return { ok: true, requeued: await context.change((writer) => writer.reopen(run.id, { request })) };
  });

  bindRoute(app, ROUTES.requeueProblem).to(async ({ params: { id }, body }) => {
    const run = await requireRun(ledger, id);
    const obstacle = (await obstacles(ledger, run)).requeue;
    if (obstacle !== null) throw new HttpError(409, 'not_requeueable', { message: obstacle });
    return { ok: true, requeued: await context.change((writer) => writer.reopen(run.id, body)) };
  });
}

async function requeueObstacle(
  { ledger }: ServerContext,
  run: ReportedRun,
  { verdict }: RequestReportRow,
): Promise<string | null> {
  if (verdict === undefined) return 'It is in the queue already.';
  if (verdict === 'done') return 'It is done.';
  return (await obstacles(ledger, run)).requeue;
}

function totalOf({ requests }: RunCounts, verdict: Verdict | 'pending' | undefined): number {
  if (verdict !== undefined) return requests[verdict];
  return Object.values(requests).reduce((sum, n) => sum + n, 0);
}

function recordsOf({ records, invalid }: RunCounts, valid: boolean | undefined): number {
  return valid === undefined ? records : valid ? records - invalid : invalid;
}

function requestNotFound(run: number, request: number): HttpError {
  return new HttpError(404, 'request_not_found', { message: `Run ${run} has no request ${request}.`, run_id: run });
}

function tellRequest({ parent: _, ...row }: RequestReportRow): RequestRow {
  return {
    ...row,
    url: cleanText(row.url),
    step: row.step ?? null,
    verdict: row.verdict ?? null,
    status: row.status ?? null,
    reason: cleanText(row.reason),
    dueAt: iso(row.dueAt),
  };
}

function tellRecord({ id, kind, valid, data, errors, request, url, step }: RecordReportRow): RecordRow {
  return {
    id,
    kind,
    valid,
    data,
    errors: (errors ?? []).map(({ path, message }) => ({ path, message })),
    request,
    url: cleanText(url),
    step,
  };
}
