// What can be started, with the schema its form is made of, and starting it.

import { z } from 'zod';
import { AnyJson, ErrorAnswer } from './common.ts';
import { changing, reading } from './route.ts';
import { Begun } from './runs.ts';

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
    problem: z.string().nullable().describe('why it cannot be started; null when it can'),
  })
  .meta({ id: 'Startable' });
export type Startable = z.infer<typeof Startable>;

/**
 * Either `startable` with its `params` or, as forms of the seed have it, the parameters of a mirror run. Numbers may come as
 * text.
 */
const StartBody = z.object({
  startable: z.string().max(1_000).optional(),
  params: z.record(z.string(), AnyJson).optional(),
  mode: z.string().optional().describe('full or new; default new'),
  target_source: z.string().optional(),
  limit: z.coerce.number().pipe(z.int().min(1)).optional().describe('most cases of the run'),
  csrf: z.string().optional().describe('of a form, instead of the header X-Curlew-CSRF'),
});

/** `run` to go on with that run, else a resume of a mirror source. */
const ResumeBody = z.object({
  run: z.coerce.number().pipe(z.int().min(1)).optional(),
  target_source: z.string().optional(),
  resume_strategy: z.string().optional().describe('none, retry_failed_only, redo_in_progress or auto'),
  limit: z.coerce.number().pipe(z.int().min(1)).optional(),
  csrf: z.string().optional(),
});

const Started = {
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
    answers: Started,
  }),
  scrape: changing({
    method: 'POST',
    path: '/scrape',
    tag: 'start',
    summary: 'Another name for /start',
    body: StartBody,
    answers: Started,
  }),
  resume: changing({
    method: 'POST',
    path: '/resume',
    tag: 'start',
    summary: 'Go on with a run, or with what earlier runs of a mirror left',
    body: ResumeBody,
    answers: { ...Started, 202: Begun, 404: ErrorAnswer },
  }),
} as const;
