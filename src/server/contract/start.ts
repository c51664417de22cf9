// What can be started, with the schema its form is made of, and starting it.

import { z } from 'zod';
import { MODES } from '../../ledger/mirror/mirror-run.ts';
import { RESUME_STRATEGIES } from '../../mirror/scrape-params.ts';
import { CLIENT_KINDS } from '../../mirror/sources/source.ts';
import type { Json } from '../../platform/json.ts';
import { AnyJson, ErrorAnswer } from './common.ts';
import { flag, seconds, whole, word } from './form-value.ts';
import { changing, reading } from './route.ts';
import { Begun } from './runs.ts';

const count = z.int().min(0);

export const Startable = z
  .object({
    id: z.string().describe('scraper:examples/county-court.ts, site:…, mirror:unreported_judgments'),
    kind: z.enum(['scraper', 'site', 'mirror']),
    name: z.string(),
    title: z.string(),
    file: z.string().nullable(),
    baseUrl: z.string().nullable(),
    schema: z
      .record(z.string(), AnyJson)
      .describe(
        'JSON Schema (draft 2020-12) of `params`: an object whose properties carry title, description, default',
      ),
    problem: z
      .string()
      .nullable()
      .describe('what is wrong with it, so that it cannot be started; null when nothing is'),
    busy: z
      .object({ text: z.string().describe('as a sentence'), run: z.int().nullable() })
      .nullable()
      .describe('why it cannot be started just now; null when it can'),
  })
  .meta({ id: 'Startable' });
export type Startable = z.infer<typeof Startable>;

/** How politely to fetch: the same for whatever is started. */
export const FetchParams = z
  .strictObject({
    baseUrl: z.url({ protocol: /^https?$/ }),
    allowHosts: z.string().max(2_000).describe('host or host:port, several with commas'),
    rate: z
      .union([z.number().positive().transform(String), z.string().regex(/^(off|\d+(\.\d+)?)$/)], {
        error: 'must be a number, or off',
      })
      .describe('requests per second to one host'),
    concurrency: whole(1, 1_024),
    robots: word(['allow', 'strict', 'off']),
  })
  .partial();
export type FetchParams = z.output<typeof FetchParams>;

/** Tokens of cases, as a list or as text with commas or lines between them. */
const Tokens = z.union(
  [
    z.array(z.string().min(1).max(500)).min(1),
    z
      .string()
      .transform((text) => text.split(/[\s,]+/).filter((token) => token !== ''))
      .pipe(z.array(z.string()).min(1)),
  ],
  { error: 'must be a list of tokens' },
);

/** What a run of the mirror can be asked for over HTTP: every parameter there is, as JSON or as text. */
export const MirrorParams = z.strictObject({
  mode: word(MODES).optional(),
  target_source: z.string().max(200).optional().describe('id or alias of a source; blank: the default one'),
  limit: whole(1).optional().describe('most cases of the run; left out: all'),
  new_limit: whole(1).optional().describe('another name for limit, of a run with the mode new'),
  resume_strategy: word(RESUME_STRATEGIES).optional(),
  dry_run: flag.optional().describe('plan, and fetch no file'),
  per_download_delay: seconds(3_600).optional().describe('seconds between two cases'),
  max_retries: whole(1).optional().describe('attempts per case'),
  concurrency: whole(1, 1_024).optional().describe('files fetched at once'),
  accept_shrink: flag.optional().describe('accept an index that has lost more than a fifth of its cases'),
  stale_index_ok: flag
    .optional()
    .describe('be content with the last good index when the one of the site cannot be used'),
  cases: Tokens.optional().describe('tokens of the only cases to be fetched, again if they are held'),
  client: word(CLIENT_KINDS).optional(),
  settings: FetchParams.omit({ baseUrl: true, concurrency: true }).optional(),
});
export type MirrorParams = z.output<typeof MirrorParams>;

/** An object, or the JSON of one in a form field. */
const JsonParams = z.union(
  [
    z.record(z.string(), AnyJson),
    z.string().transform((text, context): Record<string, Json> => {
      const parsed = parseJson(text);
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
        return { ...parsed } as Record<string, Json>;
      context.addIssue({ code: 'custom', message: 'must be a JSON object' });
      return z.NEVER;
    }),
  ],
  { error: 'must be an object' },
);

/**
 * What to start: a `startable` with its `params`, or a mirror run by its `mode`. The parameters of a mirror run may stand
 * in `params` or beside it. Keys that are not known are refused.
 */
const StartBody = z.strictObject({
  startable: z.string().max(1_000).optional(),
  params: JsonParams.optional(),
  ...MirrorParams.shape,
  csrf: z.string().optional().describe('of a form, instead of the header X-Curlew-CSRF'),
});

const { new_limit: _, ...ResumeParams } = MirrorParams.shape;

/** `run` to continue that run; else `target_source` or `resume_strategy` of a mirror. Keys that are not known are refused. */
const ResumeBody = z.strictObject({
  run: whole(1).optional(),
  ...ResumeParams,
  mode: word(['resume']).optional(),
  csrf: z.string().optional(),
});

/** What a dry run says. It leaves no run. */
export const DryRun = z
  .object({
    ok: z.literal(true),
    dry_run: z.literal(true),
    cases_total: count,
    cases_planned: count,
    problems: z
      .array(z.object({ code: z.string(), message: z.string() }))
      .describe('such as an index that is out of date'),
  })
  .meta({ id: 'DryRun' });
export type DryRun = z.infer<typeof DryRun>;

const Started = {
  200: DryRun,
  202: Begun,
  302: { contentType: 'text/html', description: 'for a form: to the page of the run' },
  409: ErrorAnswer,
  500: ErrorAnswer,
};

export const START_ROUTES = {
  startables: reading({
    path: '/api/startables',
    tag: 'start',
    summary: 'Scrapers, sites and mirror sources that can be started from here',
    answers: { 200: z.object({ ok: z.literal(true), startables: z.array(Startable) }) },
  }),
  start: changing({
    method: 'POST',
    path: '/start',
    tag: 'start',
    summary: 'Start a run in the background',
    body: StartBody,
    dropsEmptyFields: true,
    answers: Started,
  }),
  scrape: changing({
    method: 'POST',
    path: '/scrape',
    tag: 'start',
    summary: 'Another name for /start',
    body: StartBody,
    dropsEmptyFields: true,
    answers: Started,
  }),
  resume: changing({
    method: 'POST',
    path: '/resume',
    tag: 'start',
    summary: 'Continue a run, or what earlier runs of a mirror left',
    body: ResumeBody,
    dropsEmptyFields: true,
    answers: { ...Started, 404: ErrorAnswer },
  }),
} as const;

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
