// Every case of a source, and what happened to one.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { CaseFacts } from '../../ledger/mirror/case-facts.ts';
import { mirrorDirectory } from '../../mirror/mirror-directory.ts';
import { explainCase } from '../../mirror/reports/explain-case.ts';
import { SOURCES } from '../../mirror/sources/source-registry.ts';
import type { CaseListRow } from '../contract/mirror.ts';
import { type InputOf, ROUTES } from '../contract/routes.ts';
import { bindRoute } from '../http/bind-route.ts';
import { clean } from '../http/clean.ts';
import { decodeCursor, encodeCursor, OffsetPlace } from '../http/cursor.ts';
import type { ServerContext } from '../server-context.ts';

type Query = InputOf<'listCases'>['query'];

export function bindCaseRoutes(app: FastifyInstance, context: ServerContext): void {
  const { ledger, data } = context;
  const { pdfs } = mirrorDirectory(data);
  const cases = new CaseLists(context);

  bindRoute(app, ROUTES.listCases).to(async ({ query }) => {
    const { cursor, limit, source, run } = query;
    const offset = decodeCursor(cursor, OffsetPlace)?.offset ?? 0;
    const all = await cases.of(SOURCES.require(source).id);
    const worklist = run === undefined ? undefined : await worklistOf(context, run);
    const fitting = select(all, query, worklist);
    const page = fitting.slice(offset, offset + limit);
    return {
      ok: true,
      rows: page.map((row) =>
        row.state === 'held' && !existsSync(join(pdfs, fileOf(row))) ? { ...row, state: 'file_missing' } : row,
      ),
      next: offset + limit < fitting.length ? encodeCursor({ offset: offset + limit }) : null,
      total: fitting.length,
      searched: null,
    };
  });

  bindRoute(app, ROUTES.caseStory).to(async ({ params: { source, token } }) => {
    const { case: known, steps } = await explainCase(ledger.mirror, SOURCES.require(source).id, token);
    const facts = (await ledger.mirror.factsOfCase(known.id)) ?? { case: known, last: undefined, held: undefined };
    return {
      ok: true,
      case: tellCase(facts),
      story: steps.map(({ at, what, run_id, fields }) => ({
        at,
        what,
        run: run_id,
        exchange: null,
        data: clean(fields),
      })),
    };
  });
}

/** The cases of a source, read again at most every two seconds while something changes. */
class CaseLists {
  readonly #context: ServerContext;
  readonly #kept = new Map<string, { readonly version: number; readonly at: number; readonly rows: CaseListRow[] }>();

  constructor(context: ServerContext) {
    this.#context = context;
  }

  async of(source: string): Promise<readonly CaseListRow[]> {
    const { ledger, clock } = this.#context;
    const version = await ledger.reports.version();
    const kept = this.#kept.get(source);
    const now = clock.monotonic();
    if (kept !== undefined && (kept.version === version || now - kept.at < KEPT_MS)) return kept.rows;
    const rows = (await ledger.mirror.caseFacts(source)).map(tellCase);
    this.#kept.set(source, { version, at: now, rows });
    return rows;
  }
}

const KEPT_MS = 2_000;

async function worklistOf({ ledger }: ServerContext, run: number): Promise<ReadonlySet<number>> {
  const found = await ledger.reports.run(run);
  if (found === undefined) return new Set();
  return new Set((await ledger.mirror.downloadsOf(found.id)).map(({ caseId }) => caseId));
}

function select(all: readonly CaseListRow[], query: Query, worklist: ReadonlySet<number> | undefined): CaseListRow[] {
  const { state, search, sort, order } = query;
  const wanted = search?.toLowerCase();
  const fitting = all.filter((row) => {
    if (worklist !== undefined && !worklist.has(row.id)) return false;
    if (state !== undefined && row.state !== state) return false;
    return wanted === undefined || textOf(row).includes(wanted);
  });
  const sign = order === 'asc' ? 1 : -1;
  return fitting.sort((a, b) => {
    const [one, other] = [a[sort], b[sort]];
    // What is not known comes last, whatever the order.
    if (one === null || other === null) return one === other ? a.id - b.id : one === null ? 1 : -1;
    return one === other ? a.id - b.id : one < other ? -sign : sign;
  });
}

function textOf({ title, causeNumber, neutralCitation, court, token, reason }: CaseListRow): string {
  return [title, causeNumber, neutralCitation, court, token, reason].join('\n').toLowerCase();
}

function fileOf({ fileUrl }: CaseListRow): string {
  return (fileUrl ?? '').replace(/^\/files\//, '');
}

function tellCase({ case: known, last, held }: CaseFacts): CaseListRow {
  return {
    id: known.id,
    source: known.source,
    token: known.actionTokenNorm,
    title: known.title,
    causeNumber: known.causeNumber,
    neutralCitation: known.neutralCitation,
    court: known.court,
    category: known.category,
    subject: known.subject,
    judgmentDate: known.judgmentDate,
    criminal: known.isCriminal,
    active: known.isActive,
    state: caseState(known, last, held !== undefined),
    reason: held === undefined ? (last?.errorCode ?? null) : null,
    lastRun: last?.runId ?? held?.runId ?? null,
    downloadedAt: held?.downloadedAt ?? null,
    sizeBytes: held?.sizeBytes ?? null,
    fileUrl: held === undefined ? null : `/files/${held.filePath}`,
  };
}

function caseState(known: CaseFacts['case'], last: CaseFacts['last'], isHeld: boolean): CaseListRow['state'] {
  if (isHeld) return 'held';
  if (!known.isActive || known.isCriminal) return 'not_wanted';
  if (last === undefined) return 'never_tried';
  return last.status === 'downloaded' ? 'file_missing' : last.status;
}
