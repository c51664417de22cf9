// A source of the mirror as something that can be started.

import { MODES } from '../../ledger/mirror/mirror-run.ts';
import type { Environment } from '../../mirror/config/mirror-config.ts';
import { validateRuntimeConfig } from '../../mirror/config/validate-runtime-config.ts';
import { RESUME_STRATEGIES } from '../../mirror/scrape-params.ts';
import { CLIENT_KINDS } from '../../mirror/sources/source.ts';
import { SOURCES } from '../../mirror/sources/source-registry.ts';
import { messageOf } from '../../platform/errors.ts';
import { MirrorParams } from '../contract/start.ts';
import { HttpError } from '../http/http-error.ts';
import {
  FETCH_SETTINGS_SCHEMA,
  type FormSchema,
  fetchArguments,
  objectSchema,
  type StartableDefinition,
  type StartCommand,
} from './startable.ts';

const { baseUrl: _, concurrency: __, ...SETTINGS } = FETCH_SETTINGS_SCHEMA.properties as FormSchema;
const SETTINGS_SCHEMA = objectSchema(SETTINGS, { title: 'Fetching' });

export function mirrorStartables(env: Environment): StartableDefinition[] {
  const problem = problemOf(env);
  return SOURCES.sources.map(({ id, title }) => ({
    id: `mirror:${id}`,
    kind: 'mirror',
    name: id,
    title,
    file: null,
    baseUrl: null,
    problem,
    schema: objectSchema({
      mode: {
        type: 'string',
        title: 'What to fetch',
        description:
          'new: what is not held yet. full: every case again, to find amended files. resume: what earlier runs left.',
        enum: [...MODES],
        default: 'new',
      },
      limit: { type: 'integer', title: 'Most cases', description: 'Left out: all.', minimum: 1 },
      resume_strategy: {
        type: 'string',
        title: 'What a resume takes up',
        enum: [...RESUME_STRATEGIES],
        default: 'auto',
      },
      accept_shrink: {
        type: 'boolean',
        title: 'Accept an index that has lost more than a fifth of its cases',
        default: false,
      },
      dry_run: {
        type: 'boolean',
        title: 'Dry run',
        description: 'Only say how many cases would be fetched. No file is downloaded, and no run is left.',
        default: false,
      },
      per_download_delay: {
        type: 'number',
        title: 'Delay between two cases',
        description: 'In seconds, give or take 20 %.',
        default: 1,
        minimum: 0,
        maximum: 3_600,
      },
      max_retries: { type: 'integer', title: 'Attempts per case', default: 3, minimum: 1 },
      concurrency: {
        type: 'integer',
        title: 'Files at once',
        description: 'Left out: BAILIIKC_MAX_PARALLEL_DOWNLOADS of the server.',
        minimum: 1,
        maximum: 1_024,
      },
      stale_index_ok: {
        type: 'boolean',
        title: 'Accept the last good index',
        description: 'When the index of the site cannot be used. The run says so all the same.',
        default: false,
      },
      cases: {
        type: 'array',
        items: { type: 'string' },
        title: 'Only these cases',
        description: 'Tokens, one a line. They are fetched again if they are held.',
      },
      client: {
        type: 'string',
        title: 'How to ask for a file',
        description: 'http: plain requests. browser: let Chromium run the page.',
        enum: [...CLIENT_KINDS],
        default: 'http',
      },
      settings: SETTINGS_SCHEMA,
    }),
    commandFor: (params, defaults) => mirrorCommand(id, MirrorParams.parse(params), 'ui', defaults),
  }));
}

/** Settings with which no run would begin. */
function problemOf(env: Environment): string | null {
  try {
    validateRuntimeConfig('ui', undefined, env);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** The command line of a mirror run. Throws 400 for parameters that contradict each other. */
export function mirrorCommand(
  source: string,
  params: MirrorParams,
  trigger: 'ui' | 'webhook',
  defaults: readonly string[],
): StartCommand {
  const { mode = 'new', resume_strategy, dry_run = false, per_download_delay, max_retries, concurrency } = params;
  const { target_source, accept_shrink, stale_index_ok, cases = [], client, settings } = params;
  if (target_source !== undefined && SOURCES.require(target_source).id !== source) {
    throw contradiction(`target_source: ${target_source} is not the source of mirror:${source}`);
  }
  const limit = limitOf(params, mode);
  const args = [
    'mirror',
    'run',
    `--source=${source}`,
    `--mode=${mode}`,
    `--trigger=${trigger}`,
    ...(limit === undefined ? [] : [`--limit=${limit}`]),
    ...(resume_strategy === undefined ? [] : [`--resume-strategy=${resume_strategy}`]),
    ...(dry_run ? ['--dry-run'] : []),
    ...(per_download_delay === undefined ? [] : [`--delay=${per_download_delay}`]),
    ...(max_retries === undefined ? [] : [`--max-retries=${max_retries}`]),
    ...(concurrency === undefined ? [] : [`--concurrency=${concurrency}`]),
    ...(accept_shrink === true ? ['--accept-shrink'] : []),
    ...(stale_index_ok === true ? ['--stale-index-ok'] : []),
    ...cases.map((token) => `--case=${token}`),
    ...(client === undefined ? [] : [`--client=${client}`]),
    ...defaults,
    ...fetchArguments(settings),
  ];
  return { args, isDryRun: dry_run };
}

function limitOf({ limit, new_limit }: MirrorParams, mode: string): number | undefined {
  if (new_limit === undefined) return limit;
  if (mode !== 'new') throw contradiction(`new_limit: is for the mode new; with ${mode} say limit`);
  if (limit !== undefined && limit !== new_limit) throw contradiction('new_limit: says something else than limit');
  return new_limit;
}

function contradiction(detail: string): HttpError {
  return new HttpError(400, 'invalid_params', { message: `The parameters do not fit: ${detail}`, details: [detail] });
}
