// The routes that pipelines of the judgment mirror know.

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { mirrorDirectory } from '../../mirror/mirror-directory.ts';
import { corpusCoverage } from '../../mirror/reports/corpus-coverage.ts';
import { caseDiff } from '../../mirror/reports/diff-versions.ts';
import { listDownloadedCases } from '../../mirror/reports/downloaded-cases.ts';
import { exportCases } from '../../mirror/reports/export-cases.ts';
import { latestRun, latestRunWithDownloads, listRecentRuns, runHealthOf } from '../../mirror/reports/run-reports.ts';
import { summariseDownloadsForRun } from '../../mirror/reports/summarise-downloads.ts';
import { SOURCES } from '../../mirror/sources/source-registry.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { tellVersions } from '../cases/index-versions.ts';
import { type AnswerOf, ROUTES } from '../contract/routes.ts';
import type { DashboardFiles } from '../dashboard-files.ts';
import { bindRoute, SENT } from '../http/bind-route.ts';
import { HttpError } from '../http/http-error.ts';
import { wantsPage } from '../http/is-form.ts';
import { requireRun, runNotFound } from '../runs/require-run.ts';
import type { ServerContext } from '../server-context.ts';

export function bindMirrorRoutes(
  app: FastifyInstance,
  { ledger, data, clock }: ServerContext,
  dashboard: DashboardFiles,
): void {
  const { mirror } = ledger;

  bindRoute(app, ROUTES.latestRun).to(async () => {
    return { ok: true, run: (await latestRunWithDownloads(mirror)) ?? noRuns() };
  });

  bindRoute(app, ROUTES.downloadedCases).to(async ({ query: { source } }) => {
    return { data: await listDownloadedCases(mirror, { source: sourceId(source) }) };
  });

  bindRoute(app, ROUTES.dbLatestRun).to(async () => ({ ok: true, run: (await latestRun(mirror)) ?? noRuns() }));

  bindRoute(app, ROUTES.dbDownloadedCases).to(async ({ query: { run_id, status, source } }) => {
    if (run_id !== undefined && !/^\d+$/.test(run_id)) throw new HttpError(400, 'invalid run_id');
    const id = sourceId(source);
    const runId = run_id === undefined ? (await latestRun(mirror, id))?.id : Number(run_id);
    if (runId === undefined) return { data: [] };
    return { data: await listDownloadedCases(mirror, { runId, status, source: id }) };
  });

  bindRoute(app, ROUTES.runDownloadedCases).to(async ({ params: { id }, query: { status, source } }) => {
    const runId = id === 'latest' ? ((await latestRun(mirror, sourceId(source))) ?? noRuns()).id : runNumber(id);
    await requireRun(ledger, runId);
    return { data: await listDownloadedCases(mirror, { runId, status, source: sourceId(source) }) };
  });

  bindRoute(app, ROUTES.dbRuns).to(async ({ query: { limit, source } }) => {
    const id = sourceId(source);
    const runs = await listRecentRuns(mirror, { limit, ...(id !== undefined && { source: id }) });
    return { ok: true, count: runs.length, runs: runs.map(tellHealth) };
  });

  bindRoute(app, ROUTES.dbRunHealth).to(async ({ params: { id } }) => {
    const run = runNumber(id);
    return {
      ok: true,
      ...tellHealth(
        await orNotFound(
          () => runHealthOf(mirror, run),
          () => runNotFound(run),
        ),
      ),
    };
  });

  bindRoute(app, ROUTES.dbDownloadSummary).to(async ({ params: { id } }) => {
    const run = id === 'latest' ? ((await latestRun(mirror)) ?? noRuns()).id : runNumber(id);
    const summary = await orNotFound(
      () => summariseDownloadsForRun(mirror, run),
      () => runNotFound(run),
    );
    return {
      ok: true,
      run_id: summary.run_id,
      status_counts: { ...summary.status_counts },
      fail_reasons: { ...summary.fail_reasons },
      skip_reasons: { ...summary.skip_reasons },
    };
  });

  bindRoute(app, ROUTES.dbCaseDiff).to(async ({ params: { id } }) => {
    const version = runNumber(id, 'csv_version_id');
    const notFound = () => new HttpError(404, 'csv_version_not_found', { csv_version_id: version });
    const diff = await orNotFound(() => caseDiff(mirror, version), notFound);
    return { ok: true, ...diff, new_cases: [...diff.new_cases], removed_cases: [...diff.removed_cases] };
  });

  bindRoute(app, ROUTES.csvVersions).to(async ({ query: { source, limit } }) => {
    const versions = await mirror.versions(SOURCES.require(source).id, limit);
    return { ok: true, versions: await tellVersions(mirror, versions) };
  });

  bindRoute(app, ROUTES.coverage).to(async ({ query: { source } }) => {
    const coverage = await corpusCoverage(mirror, mirrorDirectory(data), SOURCES.require(source).id, clock.now());
    return { ok: true, ...coverage, missing: [...coverage.missing], owed: [...coverage.owed] };
  });

  bindRoute(app, ROUTES.exportCases).to(async ({ query: { since, source }, reply }) => {
    const id = sourceId(source);
    async function* lines() {
      for await (const line of exportCases(mirror, { since, ...(id !== undefined && { source: id }) })) {
        yield `${JSON.stringify(line)}\n`;
      }
    }
    await reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(lines()));
    return SENT;
  });

  bindRoute(app, ROUTES.report).to(async ({ query: { source }, request, reply }) => {
    if (wantsPage(request)) {
      await dashboard.sendPage(reply);
      return SENT;
    }
    const id = sourceId(source);
    const run = (await latestRunWithDownloads(mirror, id)) ?? null;
    return { ok: true, run, data: await listDownloadedCases(mirror, { source: id }) };
  });
}

/** Aliases are normalised; a blank source is the default one. Not given at all: every source. */
function sourceId(name: string | undefined): string | undefined {
  return name === undefined ? undefined : SOURCES.require(name).id;
}

function noRuns(): never {
  throw new HttpError(404, 'no runs');
}

function runNumber(text: string, what = 'run_id'): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new HttpError(400, `invalid ${what}`);
}

const NOT_FOUND: ReadonlySet<ErrorCode> = new Set([ErrorCode.runNotFound, ErrorCode.versionNotFound]);

/** Answers in the shape that the seed's callers know. */
async function orNotFound<T>(read: () => Promise<T>, notFound: () => HttpError): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof CurlewError && NOT_FOUND.has(error.code) ? notFound() : error;
  }
}

/** Read from the ledger as one of the list, and text by its type. */
function tellHealth<T extends { readonly run_health: string | null }>(
  row: T,
): T & { readonly run_health: AnswerOf<'dbRunHealth'>['run_health'] } {
  return row as T & { readonly run_health: AnswerOf<'dbRunHealth'>['run_health'] };
}
