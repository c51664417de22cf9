// One run with everything its page shows at once.

import { runWaits } from '../../engine/run-waits.ts';
import type { HostWait } from '../../fetch/host-wait.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { OwnedRun, ReportedRun } from '../../ledger/reports/run-report.ts';
import type { RunDetail } from '../contract/runs.ts';
import { clean, cleanText } from '../http/clean.ts';
import { iso } from '../http/iso.ts';
import { hostFacts } from '../routes/host-routes.ts';
import type { ServerContext } from '../server-context.ts';
import { describeOwner } from './run-rows.ts';
import { tellWait } from './tell-wait.ts';

export async function describeRun(context: ServerContext, read: ReportedRun): Promise<RunDetail> {
  const { ledger, rows } = context;
  const owned = await ledger.reports.withOwner(read);
  const { run } = owned;
  return {
    ...(await rows.rowOf(owned)),
    source: run.source ?? null,
    params: clean(run.params),
    settings: clean(run.settings),
    csvVersionId: run.csvVersionId ?? null,
    coverage: run.coverage ?? null,
    owner: describeOwner(owned),
    hosts: await hostsOf(context, run),
    waits: owned.owner.state === 'alive' ? (await runWaits(ledger, run.id, context.clock.now())).map(tellWait) : [],
    startPages: run.kind === 'site' ? await startPagesOf(context, run) : [],
    can: await obstaclesTo(ledger, owned),
    lastEventId: await ledger.lastEvent(run.id),
  };
}

async function hostsOf(context: ServerContext, { id, status }: ReportedRun): Promise<RunDetail['hosts']> {
  const facts = new Map((await hostFacts(context)).map((fact) => [fact.host, fact]));
  return (await context.ledger.countsByHost(id)).map(({ host, counts }) => {
    const fact = facts.get(host);
    const wait = status === 'running' ? fact?.wait : undefined;
    return {
      host,
      counts: { ...counts },
      perSecond: status === 'running' ? (context.rates.perSecond(id, host) ?? null) : null,
      waits: wait === undefined ? null : cleanText(sayWait(wait)),
    };
  });
}

function sayWait({ until, reason }: HostWait): string {
  return until === undefined ? reason : `${reason}, until ${iso(until)}`;
}

async function startPagesOf({ ledger }: ServerContext, { id }: ReportedRun): Promise<RunDetail['startPages']> {
  return (await ledger.reports.startPagesOf(id)).map(({ url, items }) => ({
    url,
    completed: true,
    pages: 0,
    urls: items,
    statedTotal: null,
    failureCount: 0,
    reason: null,
    lastFailure: null,
  }));
}

/** Why something cannot be done with a run; null where it can. */
export async function obstacles(ledger: Ledger, read: ReportedRun): Promise<RunDetail['can']> {
  return obstaclesTo(ledger, await ledger.reports.withOwner(read));
}

async function obstaclesTo({ reports }: Ledger, { run, owner }: OwnedRun): Promise<RunDetail['can']> {
  const busy = owner.state === 'alive' ? 'It is being worked on.' : null;
  const { blocked, unknown, pending } = (await reports.countsOf(run.id)).requests;
  // A resume asks once more for what was refused or had no usable answer.
  const isWhole = run.status === 'completed' && blocked + unknown + pending === 0;
  const isMirror = run.kind === 'mirror';
  const noFile = run.source === undefined ? 'It was started from code, not from a file.' : null;
  return {
    stop: owner.state === 'alive' ? null : 'Nobody works on it.',
    resume: busy ?? (isMirror ? null : (noFile ?? (isWhole ? 'It is complete.' : null))),
    replay: isMirror || run.kind === 'fetch' ? 'It has no steps to run again.' : (busy ?? noFile),
    requeue: busy ?? (isMirror ? 'A resume of the mirror takes up what failed.' : null),
  };
}
