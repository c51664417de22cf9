// The routes that pipelines of the judgment mirror know: names and keys are a contract, hence the underscores.

import { z } from 'zod';
import { HEALTHS } from '../../ledger/health.ts';
import { DOWNLOAD_STATUSES } from '../../ledger/mirror/download-status.ts';
import { AnyJson, ErrorAnswer, Order, Paging, pageOf, Search } from './common.ts';
import { IndexState } from './index-state.ts';
import { IndexVersion } from './index-versions.ts';
import { StoryStep } from './requests.ts';
import { openToAll, reading } from './route.ts';
import { DownloadCounts } from './runs.ts';

const count = z.int().min(0);
const text = z.string().nullable();
const Source = z.string().max(200).optional().describe('id or alias of a source; blank: the default one');

const MirrorRun = z
  .object({
    id: z.int(),
    trigger: z.string(),
    mode: z.string(),
    csv_version_id: z.int().nullable(),
    status: z.string(),
    started_at: z.string(),
    ended_at: text,
    error_summary: text,
  })
  .meta({ id: 'MirrorRun' });

const Coverage = {
  cases_total: count.nullable(),
  cases_planned: count.nullable(),
  cases_attempted: count.nullable(),
  cases_downloaded: count.nullable(),
  cases_failed: count.nullable(),
  cases_skipped: count.nullable(),
  coverage_ratio: z.number().nullable(),
  run_health: z.enum(HEALTHS).nullable(),
};

const ListedMirrorRun = MirrorRun.extend({ ...Coverage, target_source: z.string() }).meta({
  id: 'ListedMirrorRun',
});

const MirrorRunWithDownloads = MirrorRun.extend({ downloads: DownloadCounts }).meta({
  id: 'MirrorRunWithDownloads',
});

const CaseRow = z
  .object({
    actions_token: z.string(),
    title: text,
    subject: text,
    court: text,
    category: text,
    judgment_date: text,
    sort_judgment_date: z.string().describe('YYYY-MM-DD; empty when the date cannot be read'),
    cause_number: text,
    downloaded_at: text,
    saved_path: text,
    filename: text,
    size_kb: z.number().nullable().describe('bytes ÷ 1024, one decimal'),
    source: z.string(),
  })
  .meta({ id: 'CaseRow' });

const DiffCase = z.object({
  case_id: z.int(),
  actions_token: z.string(),
  title: text,
  cause_number: text,
  judgment_date: text,
  is_criminal: z.boolean(),
});

const Rows = z.object({ data: z.array(CaseRow) });
const DownloadSummary = z.object({
  ok: z.literal(true),
  run_id: z.int(),
  status_counts: z.record(z.string(), count),
  fail_reasons: z.record(z.string(), count),
  skip_reasons: z.record(z.string(), count),
});

/** A case of the index, for the dashboard. */
export const CaseListRow = z
  .object({
    id: z.int(),
    source: z.string(),
    token: z.string(),
    title: text,
    causeNumber: text,
    neutralCitation: text,
    court: text,
    category: text,
    subject: text,
    judgmentDate: text,
    criminal: z.boolean(),
    active: z.boolean(),
    state: z
      .enum(['held', 'failed', 'skipped', 'pending', 'in_progress', 'never_tried', 'file_missing', 'not_wanted'])
      .describe('not_wanted: criminal, or gone from the index'),
    reason: text.describe('error code of the last attempt'),
    lastRun: z.int().nullable(),
    downloadedAt: text,
    sizeBytes: count.nullable(),
    fileUrl: text,
  })
  .meta({ id: 'CaseListRow' });
export type CaseListRow = z.infer<typeof CaseListRow>;

const MissingCase = z
  .object({
    case_id: z.int(),
    actions_token: z.string(),
    title: text,
    judgment_date: text,
    reason: z.string(),
    detail: text,
    next_action: z.string(),
  })
  .meta({ id: 'MissingCase' });

export const MIRROR_ROUTES = {
  latestRun: reading({
    path: '/api/runs/latest',
    tag: 'mirror',
    summary: 'The latest mirror run with its downloads',
    answers: { 200: z.object({ ok: z.literal(true), run: MirrorRunWithDownloads }), 404: ErrorAnswer },
  }),
  downloadedCases: reading({
    path: '/api/downloaded-cases',
    tag: 'mirror',
    summary: 'The cases that are held',
    query: z.object({ source: Source }),
    answers: { 200: Rows },
  }),
  dbLatestRun: reading({
    path: '/api/db/runs/latest',
    tag: 'mirror',
    summary: 'The latest mirror run, without aggregates',
    answers: { 200: z.object({ ok: z.literal(true), run: MirrorRun }), 404: ErrorAnswer },
  }),
  dbDownloadedCases: reading({
    path: '/api/db/downloaded-cases',
    tag: 'mirror',
    summary: 'Cases of a run by status and source',
    query: z.object({
      run_id: z.string().optional().describe('a number; left out: the latest run, of the source if one is given'),
      status: z.enum(DOWNLOAD_STATUSES).optional().describe('default downloaded'),
      source: Source,
    }),
    answers: { 200: Rows },
  }),
  runDownloadedCases: reading({
    path: '/api/runs/:id/downloaded-cases',
    tag: 'mirror',
    summary: 'Cases that a mirror run has downloaded; :id may be latest',
    params: z.object({ id: z.string() }),
    query: z.object({ status: z.enum(DOWNLOAD_STATUSES).optional().describe('default downloaded'), source: Source }),
    answers: { 200: Rows, 404: ErrorAnswer },
  }),
  dbRuns: reading({
    path: '/api/db/runs',
    tag: 'mirror',
    summary: 'Mirror runs with their coverage, newest first',
    query: z.object({
      limit: z.coerce.number().pipe(z.int()).default(20).describe('moved into 1 … 200'),
      source: Source,
    }),
    answers: { 200: z.object({ ok: z.literal(true), count, runs: z.array(ListedMirrorRun) }) },
  }),
  dbRunHealth: reading({
    path: '/api/db/runs/:id/health',
    tag: 'mirror',
    summary: 'Coverage and health of a mirror run',
    params: z.object({ id: z.string() }),
    answers: { 200: z.object({ ok: z.literal(true), run_id: z.int(), ...Coverage }), 404: ErrorAnswer },
  }),
  dbDownloadSummary: reading({
    path: '/api/db/runs/:id/download-summary',
    tag: 'mirror',
    summary: 'What the downloads of a mirror run came to; :id may be latest',
    params: z.object({ id: z.string() }),
    answers: { 200: DownloadSummary, 404: ErrorAnswer },
  }),
  dbCaseDiff: reading({
    path: '/api/db/csv_versions/:id/case-diff',
    tag: 'mirror',
    summary: 'What a version of the index changed against the one before',
    params: z.object({ id: z.string() }),
    answers: {
      200: z.object({
        ok: z.literal(true),
        csv_version_id: z.int(),
        new_count: count,
        removed_count: count,
        new_cases: z.array(
          DiffCase.extend({ returned: z.boolean().describe('it had been there before, and was gone') }),
        ),
        removed_cases: z.array(DiffCase),
      }),
      404: ErrorAnswer,
    },
  }),
  csvVersions: reading({
    path: '/api/db/csv_versions',
    tag: 'mirror',
    summary: 'Versions of the index of a source, newest first',
    query: z.object({ source: Source, limit: z.coerce.number().pipe(z.int().min(1).max(200)).default(20) }),
    answers: {
      200: z.object({
        ok: z.literal(true),
        versions: z.array(IndexVersion),
      }),
    },
  }),
  coverage: reading({
    path: '/api/coverage',
    tag: 'mirror',
    summary: 'How much of a source is held, and why the rest is not',
    query: z.object({ source: Source }),
    answers: {
      200: z.object({
        ok: z.literal(true),
        source: z.string(),
        cases_active: count,
        cases_criminal: count,
        cases_inactive: count,
        cases_wanted: count,
        cases_held: count.describe('of those that are wanted'),
        cases_held_not_wanted: count.describe('held, and criminal or gone from the index'),
        corpus_coverage: z.number(),
        index: IndexState,
        missing: z.array(MissingCase),
        owed: z.array(MissingCase).describe('held, and not given when the court was asked for the file again'),
      }),
    },
  }),
  listCases: reading({
    path: '/api/cases',
    tag: 'mirror',
    summary: 'Every case of a source and whether it is held',
    query: z.object({
      ...Paging,
      source: Source,
      state: CaseListRow.shape.state.optional(),
      run: z.coerce.number().pipe(z.int().min(1)).optional().describe('only cases of the worklist of that run'),
      search: Search.describe('part of title, cause number, citation, court, token or reason'),
      sort: z
        .enum(['id', 'title', 'judgmentDate', 'causeNumber', 'court', 'state', 'downloadedAt', 'sizeBytes'])
        .default('judgmentDate'),
      order: Order.default('desc'),
    }),
    answers: { 200: pageOf(CaseListRow) },
  }),
  caseStory: reading({
    path: '/api/cases/:source/:token',
    tag: 'mirror',
    summary: 'What happened to a case, in order',
    params: z.object({ source: z.string().max(200), token: z.string().max(500) }),
    answers: {
      200: z.object({
        ok: z.literal(true),
        case: CaseListRow,
        sha256: text.describe('of the file that is held'),
        story: z.array(StoryStep),
        canFetch: z.string().nullable().describe('null when it can be fetched now, again if it is held; else why not'),
      }),
      404: ErrorAnswer,
    },
  }),
  exportCases: reading({
    path: '/api/export',
    tag: 'mirror',
    summary: 'Cases that are held, as JSON Lines in the order in which they changed, each with a cursor to go on from',
    query: z.object({ since: z.coerce.number().pipe(z.int().min(0)).default(0), source: Source }),
    answers: { 200: { contentType: 'application/x-ndjson', description: 'one case a line' } },
  }),
  report: reading({
    path: '/report',
    tag: 'mirror',
    summary: 'Latest mirror run and the cases that are held; a browser gets the dashboard',
    pageIsOpen: true,
    query: z.object({ source: Source }),
    answers: {
      200: z.object({ ok: z.literal(true), run: MirrorRunWithDownloads.nullable(), data: z.array(CaseRow) }),
    },
  }),
  file: reading({
    path: '/files/:source/:file',
    tag: 'mirror',
    summary: 'A PDF, as attachment',
    params: z.object({ source: z.string(), file: z.string().describe('<token>.pdf') }),
    answers: {
      200: { contentType: 'application/pdf', description: 'the file' },
      206: { contentType: 'application/pdf', description: 'the part that the header Range asks for' },
      404: ErrorAnswer,
      416: ErrorAnswer,
    },
  }),
  webhook: openToAll({
    method: 'POST',
    path: '/webhook/changedetection',
    tag: 'mirror',
    summary: 'Fetch what is new, when a watcher of the site says so. Needs the secret of the webhook',
    query: z
      .object({
        token: z.string().optional().describe('the secret; better as header X-Webhook-Token'),
        async: z.string().optional().describe('1: answer at once'),
      })
      .loose(),
    body: z
      .object({ mode: AnyJson, target_source: AnyJson, new_limit: AnyJson, async: AnyJson })
      .partial()
      .loose()
      .describe('JSON or form; overrides the query'),
    answers: {
      200: z.object({
        ok: z.literal(true),
        entrypoint: z.literal('webhook'),
        mode: z.literal('new'),
        target_source: z.string(),
        run_id: z.int(),
        csv_version_id: z.int().nullable(),
        summary: z.object({ processed: count, downloaded: count, skipped: count, failed: count }),
        problems: z
          .array(z.object({ code: z.string(), message: z.string() }))
          .optional()
          .describe(
            'index_not_confirmed: the index could not be brought up to date; index_rows_unreadable: it has rows that cannot be read; left out when there are none',
          ),
      }),
      202: z.object({ ok: z.literal(true), run_id: z.int(), url: z.string() }),
      404: ErrorAnswer,
      409: ErrorAnswer,
      429: ErrorAnswer,
      500: ErrorAnswer,
    },
  }),
} as const;
