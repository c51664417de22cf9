// What a run came to, read from the ledger alone.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { totalOf } from './count-table.ts';
import type { EntryCoverage } from './coverage/entry-coverage.ts';
import { linksCoverage } from './coverage/links-coverage.ts';
import { sequenceCoverage } from './coverage/sequence-coverage.ts';
import { judgeHealth } from './health.ts';
import type { LedgerTables } from './ledger-tables.ts';
import { summariseMirror } from './mirror/summarise-mirror.ts';
import type { Cause, Run, RunId, RunSummary } from './run.ts';
import type { MissingItems } from './sites/site-missing-table.ts';
import { summariseWalks, type WalkReport } from './summarise-walks.ts';

export function summarise(tables: LedgerTables, id: RunId): RunSummary {
  const run = tables.runs.find(id);
  if (run === undefined) throw runNotFound(id);
  if (run.kind === 'mirror') return summariseMirror(tables.database, run);
  const requests = totalOf(tables.counts.byHost(id));
  const { total, invalid } = tables.records.count(id);
  const walks = summariseWalks(tables, run);
  const before = walks?.isOverHoles ? undefined : tables.runs.predecessorOf(run);
  const recordsBefore = before === undefined ? undefined : tables.records.count(before.id).total;
  const cutShort = walks?.cutShort ?? false;
  const missing = tables.sites.missing.of(id, MOST_MISSING);
  const facts = {
    ...{ status: run.status, requests, records: total, invalid, recordsBefore, cutShort },
    missing: missing.count,
  };
  const seconds = Math.round(run.activeMs / 10) / 100;
  const warnings = [
    ...missingWarnings(missing),
    ...warningsOf(tables, id, total, recordsBefore),
    ...(walks?.warnings ?? []),
  ];
  const { name, status } = run;
  const health = judgeHealth(facts);
  const causes = health === 'ok' ? [] : causesOf(tables, id);
  const summary = {
    run: id,
    name,
    status,
    health,
    requests,
    records: total,
    invalid,
    seconds,
    coverage: coverageOf(tables, run, walks),
    warnings,
    ...(missing.count > 0 && { missing }),
    ...(causes.length > 0 && { causes }),
  };
  return walks === undefined ? summary : { ...summary, speculation: walks.speculation, observed: walks.observed };
}

/** As it was stored when the run ended; of a run that goes on, as it stands now. */
function coverageOf(tables: LedgerTables, run: Run, walks: WalkReport | undefined): readonly EntryCoverage[] {
  const stored = run.status === 'running' ? [] : tables.coverage.of(run.id);
  return stored.length > 0 ? stored : measureCoverage(tables, run, walks);
}

/** What can be said now about each entry of the run, by name. */
function measureCoverage(tables: LedgerTables, run: Run, walks: WalkReport | undefined): EntryCoverage[] {
  return [
    ...tables.seeds.of(run.id).map(linksCoverage),
    ...Object.entries(walks?.speculation ?? {}).map(([name, walk]) => sequenceCoverage(name, walk)),
  ].sort((a, b) => (a.entry < b.entry ? -1 : 1));
}

/** Of missing items, as many are named as a person would look through. */
const MOST_MISSING = 100;

function missingWarnings({ count, urls: [example] }: MissingItems): string[] {
  if (count === 0) return [];
  return [
    `${count} item(s) that the lists had in the run before are in none of them now (for example ${example}). If that is ` +
      'right, accept it once with curlew sites run --accept-missing, or declare list.itemsMayVanish in the site file.',
  ];
}

const MOST_CAUSES = 3;

function causesOf(tables: LedgerTables, run: RunId): Cause[] {
  return tables.requests
    .problems(run, MOST_CAUSES + 1)
    .filter(({ verdict }) => verdict !== 'skipped')
    .slice(0, MOST_CAUSES)
    .map(({ verdict, reason, count, example }) => ({ verdict, reason, count, example }));
}

function warningsOf(tables: LedgerTables, run: RunId, records: number, before: number | undefined): string[] {
  const warnings: string[] = [];
  const conflicts = tables.requests.conflicting(run);
  if (conflicts !== undefined) {
    warnings.push(
      `${conflicts.count} request(s) were asked for again with another step or context, and the first was kept ` +
        `(for example ${conflicts.example}). Give such requests their own key.`,
    );
  }
  const lost = tables.events.lostFromArchive(run);
  if (lost !== undefined) {
    warnings.push(
      `The archive had lost ${lost.count} page(s) that were committed, after a power cut or a crash of the machine ` +
        `(for example ${lost.example}). They were put back into the queue and fetched again.`,
    );
  }
  if (before !== undefined && records < before / 2) {
    warnings.push(`${records} record(s) were found; the run before found ${before}.`);
  }
  const unreachable = tables.events.unreachableRobots(run);
  for (const { origin, reason, inForce } of unreachable.slice(0, MOST_ORIGINS)) {
    warnings.push(`The robots.txt of ${origin} could not be had (${reason}): ${WENT_BY[inForce] ?? inForce}.`);
  }
  if (unreachable.length > MOST_ORIGINS) {
    warnings.push(`Nor could the robots.txt of ${unreachable.length - MOST_ORIGINS} other site(s).`);
  }
  return warnings;
}

const MOST_ORIGINS = 5;
const WENT_BY: Readonly<Record<string, string>> = {
  allow: 'everything there was taken to be allowed (--robots strict would not)',
  last_copy: 'the last copy of it was gone by',
  disallow: 'nothing was asked for there',
};

/** `latest`: the newest run there is, if there is any. */
export function runNotFound(reference: number | string, latest?: number): CurlewError {
  if (reference === 'latest') {
    return new CurlewError(ErrorCode.runNotFound, 'There are no runs in this data directory yet.', {
      remedy: 'Begin one with curlew run SCRAPER.ts, or name another directory with --data.',
    });
  }
  const known = latest === undefined ? '' : `The latest is ${latest}. `;
  return new CurlewError(ErrorCode.runNotFound, `There is no run ${reference} in this data directory.`, {
    remedy: `${known}See the runs there are with curlew runs, or name another directory with --data.`,
  });
}
