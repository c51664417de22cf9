// Runs of every kind: the overview, the list, one run and its parts.

import { z } from 'zod';
import { RUN_KINDS, TRIGGERS } from '../../ledger/run.ts';
import {
  AnyJson,
  ErrorAnswer,
  Health,
  Paging,
  pageOf,
  RunPath,
  Search,
  Time,
  Verdict,
  VerdictCounts,
} from './common.ts';
import { EntryCoverage } from './entry-coverage.ts';
import { Waiting } from './hosts.ts';
import { IndexState, MirrorCoverage } from './index-state.ts';
import { changing, reading } from './route.ts';

const count = z.int().min(0);

/**
 * `killed`: the ledger says running, and the process that worked on it is gone. `not_started`: no process ever had it, as of
 * a site that was committed and not read. Both can be resumed.
 */
const RUN_STATES = ['running', 'killed', 'not_started', 'completed', 'interrupted', 'aborted', 'failed'] as const;
export const RunState = z.enum(RUN_STATES).meta({ id: 'RunState' });
export type RunState = z.infer<typeof RunState>;

const RunKind = z.enum(RUN_KINDS).meta({ id: 'RunKind' });

/** What a mirror run came to, by case. */
export const DownloadCounts = z
  .object({ total: count, downloaded: count, failed: count, skipped: count, pending: count, in_progress: count })
  .meta({ id: 'DownloadCounts' });

/** How long a run will still take, or why that is not told. */
export const TimeLeft = z
  .object({
    kind: z
      .enum(['about', 'at_least', 'growing', 'stalled', 'measuring'])
      .describe(
        'at_least: ids beyond the certain ones follow; growing: more is being found; stalled: nothing was settled lately; measuring: it has just begun',
      ),
    ms: z.int().nullable().describe('null unless about or at_least'),
  })
  .meta({ id: 'TimeLeft' });
export type TimeLeft = z.infer<typeof TimeLeft>;

export const RunRow = z
  .object({
    id: z.int(),
    kind: RunKind,
    name: z.string().describe('class of a scraper, domain of a site, source of a mirror'),
    state: RunState,
    health: Health.nullable().describe('null until the run has ended'),
    counts: VerdictCounts.describe('requests; of a mirror run: cases'),
    records: count,
    invalid: count.describe('records that do not fit their schema'),
    otherProblems: count.describe(
      'problems of the run that are no requests: of a mirror its index, of a site missing items',
    ),
    downloads: DownloadCounts.nullable().describe('of a mirror run only'),
    perSecond: z.number().nullable().describe('items settled per second at present; null unless it runs'),
    timeLeft: TimeLeft.nullable().describe('null unless it runs'),
    startedAt: Time,
    endedAt: Time.nullable(),
    activeMs: z.int().describe('time worked, over all starts'),
    trigger: z
      .enum(TRIGGERS)
      .describe('who asked for it: a shell or code, the dashboard or this API, the webhook, a timer'),
    mode: z.string().nullable().describe('of a mirror run: full, new or resume'),
    replayOf: z.int().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'RunRow' });
export type RunRow = z.infer<typeof RunRow>;

/** Something a person should look at. The page adds the time: `${text} since ${since}`. */
export const Attention = z
  .object({
    severity: z.enum(['urgent', 'warning', 'notice']),
    text: z.string().describe('a sentence without its full stop: county-court: 20 ids refused'),
    since: Time.nullable(),
    action: z.string().nullable().describe('what to do, as a sentence'),
    run: z.int().nullable(),
    host: z.string().nullable(),
    site: z.string().nullable().describe('of a walk that is not committed'),
    source: z.string().nullable().describe('of a mirror, when it is about its index or its coverage'),
  })
  .meta({ id: 'Attention' });
export type Attention = z.infer<typeof Attention>;

/** Why a run can or cannot be stopped, resumed, replayed: null when it can. */
const Obstacle = z.string().nullable();

const Owner = z
  .object({
    state: z.enum(['alive', 'gone', 'silent', 'none']).describe('silent: elsewhere, and not heard of for 30 s'),
    text: z.string().describe('killed: its process is gone'),
    pid: z.int().nullable(),
    machine: z.string().nullable(),
    heartbeatAt: Time.nullable(),
  })
  .meta({ id: 'Owner' });

const HostProgress = z
  .object({
    host: z.string(),
    counts: VerdictCounts,
    perSecond: z.number().nullable(),
    waits: z.string().nullable().describe('why nothing is asked of it at present, in words'),
  })
  .meta({ id: 'HostProgress' });

const StartPage = z
  .object({
    url: z.string(),
    completed: z.boolean(),
    pages: count.describe('list pages read; 0 of a committed run'),
    urls: count.describe('items found'),
    statedTotal: count.nullable().describe('items there are, as the site says'),
    failureCount: count,
    reason: z.string().nullable(),
    lastFailure: z.object({ at: Time, proxy: z.string(), error: z.string() }).nullable(),
  })
  .meta({ id: 'StartPage' });

export const RunDetail = RunRow.extend({
  source: z.string().nullable().describe('file of the scraper or site'),
  params: AnyJson,
  settings: AnyJson,
  csvVersionId: z.int().nullable(),
  coverage: z
    .object({ casesTotal: count, casesPlanned: count, casesAttempted: count, ratio: z.number() })
    .nullable()
    .describe('of a mirror run that has ended'),
  owner: Owner,
  hosts: z.array(HostProgress),
  waits: z.array(Waiting).describe('what it waits for; empty unless it runs'),
  startPages: z.array(StartPage).describe('of a site'),
  can: z.object({ stop: Obstacle, resume: Obstacle, replay: Obstacle, requeue: Obstacle }),
  lastEventId: z.int().describe('to begin the event stream after'),
}).meta({ id: 'RunDetail' });
export type RunDetail = z.infer<typeof RunDetail>;

const Walk = z
  .object({
    speculator: z.string(),
    partition: z.string().describe('year=2025, division=FSD; empty for none'),
    definite: z.object({ first: z.number(), last: z.number() }),
    plus: z.number(),
    highestHit: z.number().nullable(),
    next: z.number(),
    finished: z.boolean(),
    gapMap: z
      .object({ from: z.number().nullable(), runs: z.string() })
      .describe(
        'from the first id on: lengths and letters, 119h12a; h hit, a absent, s skipped, b refused, f failed, u no usable answer, d duplicate, p pending, n not asked',
      ),
  })
  .meta({ id: 'Walk' });

const RunSummary = z
  .object({
    ok: z.literal(true),
    run_id: z.int(),
    health: Health,
    warnings: z.array(z.string()).describe('what a person should know, as sentences'),
    coverage: z.array(EntryCoverage).describe('what the run says about each of its entries'),
    recordKinds: z.array(z.object({ kind: z.string(), total: count, invalid: count })),
    speculation: AnyJson.nullable().describe('what each speculator found, as in curlew show --json'),
    observed: AnyJson.nullable().describe('what each speculator may declare next time'),
    status_counts: z.record(z.string(), count).nullable().describe('downloads of a mirror run; null for others'),
    fail_reasons: z.record(z.string(), count).nullable(),
    skip_reasons: z.record(z.string(), count).nullable(),
  })
  .meta({ id: 'RunSummary' });

const Problem = z
  .object({
    verdict: z
      .string()
      .describe('of a mirror run: failed or skipped; missing: items of a site that no list has any more'),
    reason: z.string().nullable(),
    step: z.string().nullable(),
    count,
    example: z.object({
      request: z.int().nullable(),
      case: z.object({ source: z.string(), token: z.string() }).nullable(),
      text: z.string().describe('its address, or title'),
      detail: AnyJson.nullable(),
    }),
  })
  .meta({ id: 'Problem' });

/** What changed in a stretch of time; numbers may be negative where something was asked for again. */
const TimelineBucket = z
  .object({
    at: Time,
    done: z.int(),
    absent: z.int(),
    skipped: z.int(),
    failed: z.int(),
    blocked: z.int(),
    unknown: z.int(),
    pending: z.int().describe('growth of the queue'),
    records: z.int(),
    invalid: z.int(),
  })
  .meta({ id: 'TimelineBucket' });

export const StoredEvent = z
  .object({
    id: z.int(),
    at: Time,
    run: z.int().nullable(),
    kind: z.string(),
    request: z.int().nullable(),
    case: z.int().nullable(),
    url: z.string().nullable(),
    data: AnyJson,
  })
  .meta({ id: 'Event' });
export type StoredEvent = z.infer<typeof StoredEvent>;

const NoRun = { 404: ErrorAnswer };
const NotNow = { 404: ErrorAnswer, 409: ErrorAnswer };

/** A run, or the walk of a site that is not yet one, which has begun. */
export const Begun = z
  .object({
    ok: z.literal(true),
    run: RunRow.nullable().describe('null while a site is walked: its run is made when the walk is complete'),
    site: z.string().nullable(),
    url: z.string().describe('where to look: /api/runs/12, or /api/sites'),
  })
  .meta({ id: 'Begun' });

export const RUN_ROUTES = {
  overview: reading({
    path: '/api/overview',
    tag: 'runs',
    summary: 'What is running, what needs attention first, and the latest runs',
    answers: {
      200: z.object({
        ok: z.literal(true),
        now: Time,
        version: z.string(),
        attention: z.array(Attention).describe('the most urgent first'),
        running: count,
        runs: z.array(RunRow).describe('those that run, then the newest; at most 50'),
        walks: z.array(z.lazy(() => SiteWalk)),
        indexes: z.array(IndexState).describe('of each source that was ever asked for its index'),
        mirrors: z.array(MirrorCoverage).describe('of each source with cases'),
        deadLetters: count,
        lastEventId: z.int(),
      }),
    },
  }),
  listRuns: reading({
    path: '/api/runs',
    tag: 'runs',
    summary: 'Runs of every kind, newest first',
    query: z.object({
      ...Paging,
      kind: RunKind.optional(),
      state: RunState.optional(),
      search: Search.describe('part of its name'),
    }),
    answers: { 200: pageOf(RunRow) },
  }),
  run: reading({
    path: '/api/runs/:id',
    tag: 'runs',
    summary: 'One run: its state, owner, progress by host',
    params: RunPath,
    answers: { 200: z.object({ ok: z.literal(true), run: RunDetail }), ...NoRun },
  }),
  runSummary: reading({
    path: '/api/runs/:id/summary',
    tag: 'runs',
    summary: 'What a run came to: health, warnings, records by kind, what walks found',
    params: RunPath,
    answers: { 200: RunSummary, ...NoRun },
  }),
  runWalks: reading({
    path: '/api/runs/:id/walks',
    tag: 'runs',
    summary: 'The id spaces that a run walks, with their gap maps',
    params: RunPath,
    answers: { 200: z.object({ ok: z.literal(true), walks: z.array(Walk) }), ...NoRun },
  }),
  runProblems: reading({
    path: '/api/runs/:id/problems',
    tag: 'runs',
    summary: 'What went otherwise than hoped, grouped, with an example each; the most frequent first',
    params: RunPath,
    answers: { 200: z.object({ ok: z.literal(true), problems: z.array(Problem) }), ...NoRun },
  }),
  runTimeline: reading({
    path: '/api/runs/:id/timeline',
    tag: 'runs',
    summary: 'Verdicts and records over time, in at most 200 buckets of equal width',
    params: RunPath,
    answers: {
      200: z.object({ ok: z.literal(true), bucketMs: z.int(), buckets: z.array(TimelineBucket) }),
      ...NoRun,
    },
  }),
  runEvents: reading({
    path: '/api/runs/:id/events',
    tag: 'runs',
    summary: 'The latest events of a run but for single requests, newest first',
    params: RunPath,
    query: z.object(Paging),
    answers: { 200: pageOf(StoredEvent), ...NoRun },
  }),
  stopRun: changing({
    method: 'POST',
    path: '/api/runs/:id/stop',
    tag: 'runs',
    summary: 'Ask the process of a run to stop; a second time: at once',
    params: RunPath,
    answers: { 202: z.object({ ok: z.literal(true), run_id: z.int() }), ...NotNow },
  }),
  resumeRun: changing({
    method: 'POST',
    path: '/api/runs/:id/resume',
    tag: 'runs',
    summary: 'Go on with a run, in a process of its own',
    params: RunPath,
    answers: { 202: Begun, ...NotNow },
  }),
  replayRun: changing({
    method: 'POST',
    path: '/api/runs/:id/replay',
    tag: 'runs',
    summary: 'Run the steps again on the archived pages, as a new run',
    params: RunPath,
    answers: { 202: Begun, ...NotNow },
  }),
  requeueProblem: changing({
    method: 'POST',
    path: '/api/runs/:id/requeue',
    tag: 'runs',
    summary: 'Put the requests of a problem back into the queue of a run that does not run; resume it then',
    params: RunPath,
    body: z.strictObject({
      verdict: Verdict.exclude(['done']),
      reason: z.string().nullable().optional().describe('left out: any'),
      step: z.string().nullable().optional().describe('left out: any'),
    }),
    answers: { 200: z.object({ ok: z.literal(true), requeued: count }), ...NotNow },
  }),
} as const;

/** A walk over the start pages of a site that is not committed yet. */
export const SiteWalk = z
  .object({
    site: z.string(),
    beganAt: Time,
    urls: count,
    startPages: z.array(StartPage),
    owner: Owner,
    waits: z.array(Waiting).describe('what it waits for; empty unless somebody walks it'),
    can: z.object({ stop: Obstacle, resume: Obstacle }),
  })
  .meta({ id: 'SiteWalk' });
export type SiteWalk = z.infer<typeof SiteWalk>;

const SitePath = z.object({ site: z.string().min(1).max(253).describe('its domain') });

export const SITE_ROUTES = {
  listWalks: reading({
    path: '/api/sites',
    tag: 'runs',
    summary: 'Walks over start pages that are not committed yet',
    answers: { 200: z.object({ ok: z.literal(true), walks: z.array(SiteWalk) }) },
  }),
  stopWalk: changing({
    method: 'POST',
    path: '/api/sites/:site/stop',
    tag: 'runs',
    summary: 'Ask the process of a walk to stop; a second time: at once',
    params: SitePath,
    answers: { 202: z.object({ ok: z.literal(true), site: z.string() }), ...NotNow },
  }),
  resumeWalk: changing({
    method: 'POST',
    path: '/api/sites/:site/resume',
    tag: 'runs',
    summary: 'Go on with a walk, in a process of its own',
    params: SitePath,
    answers: { 202: Begun, ...NotNow },
  }),
} as const;
