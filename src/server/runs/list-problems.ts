// What went otherwise than hoped, grouped, with an example each.

import { sayStaleIndex, sayUnreadableRows } from '../../ledger/mirror/index-use.ts';
import type { ReportedRun } from '../../ledger/reports/run-report.ts';
import type { AnswerOf } from '../contract/routes.ts';
import { clean, cleanText } from '../http/clean.ts';
import type { ServerContext } from '../server-context.ts';
import { stampOf } from './require-run.ts';

type Problems = AnswerOf<'runProblems'>['problems'];

export async function listProblems(context: ServerContext, run: ReportedRun): Promise<Problems> {
  if (run.kind === 'mirror') return mirrorProblems(context, run);
  const problems = await context.heavy.ask({ kind: 'problems', run: run.id }, stampOf(run));
  return problems.map(({ verdict, reason, step, count, request, example, detail }) => ({
    verdict,
    reason: cleanText(reason),
    step: step ?? null,
    count,
    example: {
      request: request ?? null,
      case: null,
      text: cleanText(example),
      detail: detail === undefined ? null : clean(detail),
    },
  }));
}

async function mirrorProblems({ ledger }: ServerContext, run: ReportedRun): Promise<Problems> {
  const problems: Problems = [];
  const stale = await ledger.mirror.staleIndexOf(run.id);
  if (stale !== undefined) {
    const example = {
      request: null,
      case: null,
      text: cleanText(stale.refused.sourceUrl),
      detail: clean(sayStaleIndex(stale)),
    };
    problems.push({ verdict: 'failed', reason: 'index_not_confirmed', step: null, count: 1, example });
  }
  const unreadable = await ledger.mirror.unreadableIndexOf(run.id);
  if (unreadable?.unreadableRows != null) {
    const { count, line, reason } = unreadable.unreadableRows;
    const detail = clean(sayUnreadableRows(unreadable) ?? null);
    const example = { request: null, case: null, text: `line ${line}: ${reason}`, detail };
    problems.push({ verdict: 'failed', reason: 'index_rows_unreadable', step: null, count, example });
  }
  for (const status of ['failed', 'skipped'] as const) {
    const found = await ledger.mirror.listDownloads({ runId: run.id, status });
    for (const [code, rows] of Map.groupBy(found, ({ download }) => download.errorCode ?? 'internal_error')) {
      const [example] = rows;
      if (example === undefined) continue;
      const { case: known, download } = example;
      problems.push({
        verdict: status,
        reason: code,
        step: null,
        count: rows.length,
        example: {
          request: null,
          case: { source: known.source, token: known.actionTokenNorm },
          text: known.title ?? known.actionTokenNorm,
          detail: download.errorMessage === null ? null : clean(download.errorMessage),
        },
      });
    }
  }
  // The index first, if it was not good: it says what all the others are counted by.
  const isOfIndex = ({ example }: Problems[number]) => Number(example.case === null);
  return problems.sort((a, b) => isOfIndex(b) - isOfIndex(a) || b.count - a.count);
}
