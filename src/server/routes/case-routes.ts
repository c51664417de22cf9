// Every case of a source, what happened to one, fetching it again, and the cases of one run.

import type { FastifyInstance } from 'fastify';
import type { ReportedRun } from '../../ledger/reports/run-report.ts';
import { mirrorDirectory } from '../../mirror/mirror-directory.ts';
import { whyNeverFetched } from '../../mirror/named-case.ts';
import { explainMissing } from '../../mirror/reports/corpus-coverage.ts';
import { explainCase } from '../../mirror/reports/explain-case.ts';
import { SOURCES } from '../../mirror/sources/source-registry.ts';
import { selectCases, tellCase } from '../cases/case-list.ts';
import { runCases } from '../cases/run-cases.ts';
import { ROUTES } from '../contract/routes.ts';
import { bindRoute } from '../http/bind-route.ts';
import { clean, cleanText } from '../http/clean.ts';
import { HttpError } from '../http/http-error.ts';
import { pageOfRows } from '../http/page-of-rows.ts';
import { requireRun } from '../runs/require-run.ts';
import type { ServerContext } from '../server-context.ts';
import { begin, mirrorRun } from './start-routes.ts';

export function bindCaseRoutes(app: FastifyInstance, context: ServerContext): void {
  const { ledger, data, cases } = context;
  const { pdfs } = mirrorDirectory(data);

  bindRoute(app, ROUTES.listCases).to(async ({ query }) => {
    const all = await cases.of(SOURCES.require(query.source).id);
    const worklist = query.run === undefined ? undefined : await worklistOf(context, query.run);
    return pageOfRows(selectCases(all, query, worklist), query);
  });

  bindRoute(app, ROUTES.runCases).to(async ({ params: { id }, query }) => {
    return pageOfRows(await runCases(ledger, await requireRun(ledger, id), query), query);
  });

  bindRoute(app, ROUTES.caseStory).to(async ({ params: { source, token } }) => {
    const { id } = SOURCES.require(source);
    const { case: known, steps } = await explainCase(ledger.mirror, id, token);
    const facts = (await ledger.mirror.factsOfCase(known.id)) ?? {
      case: known,
      last: undefined,
      held: undefined,
      isOwed: false,
    };
    const row = tellCase(facts, pdfs);
    const story = steps.map(({ at, what, run_id, fields }) => ({
      at,
      what: cleanText(what),
      run: run_id,
      exchange: null,
      data: clean(fields),
    }));
    const sha256 = row.fileUrl === null ? null : (facts.held?.sha256 ?? null);
    const end = { at: null, what: endOf(facts, row.state === 'held'), run: null, exchange: null, data: null };
    const [running] = await ledger.mirror.ownedRuns(id);
    const busy = running === undefined ? null : `Run ${running} of ${id} is on: wait for its end, or stop it.`;
    return { ok: true, case: row, sha256, story: [...story, end], canFetch: whyNeverFetched(known) ?? busy };
  });

  bindRoute(app, ROUTES.fetchCase).to(async ({ params: { source, token } }) => {
    const { id } = SOURCES.require(source);
    const { case: known } = await explainCase(ledger.mirror, id, token);
    const obstacle = whyNeverFetched(known);
    if (obstacle !== null) throw new HttpError(409, 'not_fetchable', { message: obstacle });
    const { args } = await mirrorRun(context, id, { mode: 'new' });
    return begin(context, [...args, `--case=${known.actionTokenNorm}`]);
  });
}

async function worklistOf({ ledger }: ServerContext, run: number): Promise<ReadonlySet<number>> {
  const found: ReportedRun | undefined = await ledger.reports.run(run);
  if (found === undefined) return new Set();
  return new Set((await ledger.mirror.downloadsOf(found.id)).map(({ caseId }) => caseId));
}

/** How it stands now, and what to do about it, as sentences. */
function endOf(facts: Parameters<typeof explainMissing>[0], isHeld: boolean): string {
  const { case: known, held } = facts;
  if (isHeld && held !== undefined) {
    const { filePath, runId } = held;
    return `It is held, as ${filePath}, from run ${runId}.`;
  }
  const obstacle = whyNeverFetched(known);
  if (obstacle !== null) return `It is not held. ${obstacle}`;
  const { reason, detail, next_action: next } = explainMissing(facts);
  const why = detail === null ? reason.replaceAll('_', ' ') : detail;
  return cleanText(`It is not held (${reason}): ${why}. What to do: ${next}.`);
}
