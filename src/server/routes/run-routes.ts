// Runs of every kind: overview, list, one run, its parts.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isExhausted } from '../../ledger/frontier.ts';
import type { RunStatus } from '../../ledger/health.ts';
import { partitionName } from '../../ledger/probe.ts';
import { version } from '../../platform/version.ts';
import { ROUTES } from '../contract/routes.ts';
import type { RunState } from '../contract/runs.ts';
import { bindRoute } from '../http/bind-route.ts';
import { clean, cleanText } from '../http/clean.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import { iso } from '../http/iso.ts';
import { listAttention } from '../runs/attention.ts';
import { describeRun } from '../runs/describe-run.ts';
import { gatherAttention } from '../runs/gather-attention.ts';
import { listProblems } from '../runs/list-problems.ts';
import { requireRun, stampOf } from '../runs/require-run.ts';
import { listWalks } from '../runs/site-walks.ts';
import type { ServerContext } from '../server-context.ts';
import { tellEvent } from '../stream/event-hub.ts';

const MOST_SHOWN = 50;
const MOST_BUCKETS = 200;
const Before = z.object({ before: z.int() });

export function bindRunRoutes(app: FastifyInstance, context: ServerContext): void {
  const { ledger, rows, heavy, shared } = context;
  const { reports } = ledger;

  bindRoute(app, ROUTES.overview).to(() =>
    shared.get('overview', async () => {
      const newest = await reports.runs({}, MOST_SHOWN);
      const running = await reports.runs({ statuses: ['running'] }, MOST_SHOWN);
      const shown = [...running, ...newest.filter(({ status }) => status !== 'running')].slice(0, MOST_SHOWN);
      const facts = await gatherAttention(context);
      const runRows = await rows.rows(shown);
      return {
        ok: true,
        now: iso(context.clock.now()),
        version: version(),
        attention: listAttention(facts),
        running: runRows.filter(({ state }) => state === 'running').length,
        runs: runRows,
        walks: [...facts.walks],
        indexes: [...facts.indexes],
        mirrors: [...facts.mirrors],
        deadLetters: facts.deadLetters ?? 0,
        lastEventId: await reports.lastEvent(),
      };
    }),
  );

  bindRoute(app, ROUTES.listRuns).to(async ({ query: { cursor, limit, kind, state, search } }) => {
    const before = decodeCursor(cursor, Before)?.before;
    const found = await reports.runs({ kind, statuses: statusesOf(state), search, before }, limit);
    const all = await rows.rows(found);
    const last = found.length === limit ? found.at(-1) : undefined;
    return {
      ok: true,
      rows: all.filter((row) => state === undefined || row.state === state),
      next: last === undefined ? null : encodeCursor({ before: last.id }),
      total: null,
      searched: null,
    };
  });

  bindRoute(app, ROUTES.run).to(async ({ params: { id } }) => {
    const run = await shared.get(`run ${id}`, async () => describeRun(context, await requireRun(ledger, id)));
    return { ok: true, run };
  });

  bindRoute(app, ROUTES.runSummary).to(async ({ params: { id } }) => {
    const run = await requireRun(ledger, id);
    const { summary, kinds } = await heavy.ask({ kind: 'summary', run: run.id }, stampOf(run));
    const downloads = run.kind === 'mirror' ? await ledger.mirror.countDownloads(run.id) : undefined;
    return {
      ok: true,
      run_id: run.id,
      health: run.kind === 'mirror' ? (run.health ?? summary.health) : summary.health,
      warnings: summary.warnings.map((warning) => cleanText(warning)),
      coverage: summary.coverage.map(({ verdicts, statement, ...entry }) => {
        return { ...entry, verdicts: { ...verdicts }, statement: cleanText(statement) };
      }),
      recordKinds: [...kinds],
      speculation: summary.speculation === undefined ? null : clean(JSON.parse(JSON.stringify(summary.speculation))),
      status_counts: downloads === undefined ? null : { ...downloads.byStatus },
      fail_reasons: downloads === undefined ? null : { ...downloads.failReasons },
      skip_reasons: downloads === undefined ? null : { ...downloads.skipReasons },
      observed: summary.observed === undefined ? null : clean(JSON.parse(JSON.stringify(summary.observed))),
    };
  });

  bindRoute(app, ROUTES.runWalks).to(async ({ params: { id } }) => {
    const run = await requireRun(ledger, id);
    const walks = await heavy.ask({ kind: 'walks', run: run.id }, stampOf(run));
    return {
      ok: true,
      walks: walks.map(({ walk, waiting, map }) => ({
        speculator: walk.speculator,
        partition: partitionName(walk.partition),
        definite: { first: walk.first, last: walk.last },
        plus: walk.gap,
        highestHit: walk.highestHit ?? null,
        next: walk.next,
        finished: waiting === 0 && isExhausted(walk),
        gapMap: { ...map },
      })),
    };
  });

  bindRoute(app, ROUTES.runProblems).to(async ({ params: { id } }) => {
    return { ok: true, problems: await listProblems(context, await requireRun(ledger, id)) };
  });

  bindRoute(app, ROUTES.runTimeline).to(async ({ params: { id } }) => {
    const { bucketMs, buckets } = await shared.get(`timeline ${id}`, async () =>
      reports.timeline(await requireRun(ledger, id), MOST_BUCKETS),
    );
    const count = (counts: (typeof buckets)[number]['counts']) => {
      const { done = 0, absent = 0, skipped = 0, failed = 0, blocked = 0, unknown = 0, pending = 0 } = counts;
      const { record: records = 0, invalid = 0 } = counts;
      return { done, absent, skipped, failed, blocked, unknown, pending, records, invalid };
    };
    return { ok: true, bucketMs, buckets: buckets.map(({ at, counts }) => ({ at: iso(at), ...count(counts) })) };
  });

  bindRoute(app, ROUTES.runEvents).to(async ({ params: { id }, query: { cursor, limit } }) => {
    const run = await requireRun(ledger, id);
    const events = await reports.eventsBefore(run.id, decodeCursor(cursor, Before)?.before, limit);
    const last = events.length === limit ? events.at(-1) : undefined;
    return {
      ok: true,
      rows: events.map(tellEvent),
      next: last === undefined ? null : encodeCursor({ before: last.id }),
      total: null,
      searched: null,
    };
  });

  bindRoute(app, ROUTES.listWalks).to(async () => ({ ok: true, walks: await listWalks(ledger, context.clock.now()) }));
}

function statusesOf(state: RunState | undefined): RunStatus[] | undefined {
  if (state === undefined) return undefined;
  return [state === 'killed' || state === 'not_started' ? 'running' : state];
}
