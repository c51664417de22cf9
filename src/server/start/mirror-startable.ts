// A source of the mirror as something that can be started.

import { z } from 'zod';
import { MODES } from '../../ledger/mirror/mirror-run.ts';
import { RESUME_STRATEGIES } from '../../mirror/scrape-params.ts';
import { SOURCES } from '../../mirror/sources/source-registry.ts';
import {
  FETCH_SETTINGS_SCHEMA,
  FetchSettings,
  type FormSchema,
  fetchArguments,
  objectSchema,
  type StartableDefinition,
} from './startable.ts';

const count = z.coerce.number().pipe(z.int().min(1));

/** What a run of the mirror may be asked for over HTTP. */
export const MirrorForm = z.strictObject({
  mode: z.enum(MODES).default('new'),
  limit: count.optional(),
  resume_strategy: z.enum(RESUME_STRATEGIES).optional(),
  accept_shrink: z.boolean().optional(),
  settings: FetchSettings.omit({ baseUrl: true, concurrency: true }).optional(),
});

const { baseUrl: _, concurrency: __, ...SETTINGS } = FETCH_SETTINGS_SCHEMA.properties as FormSchema;
const SETTINGS_SCHEMA = objectSchema(SETTINGS, { title: 'Fetching' });

export function mirrorStartables(): StartableDefinition[] {
  return SOURCES.sources.map(({ id, title }) => ({
    id: `mirror:${id}`,
    kind: 'mirror',
    name: id,
    title,
    file: null,
    baseUrl: null,
    problem: null,
    schema: objectSchema({
      mode: {
        type: 'string',
        title: 'What to fetch',
        description: 'new: what is not held yet. full: check everything. resume: what earlier runs left.',
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
      settings: SETTINGS_SCHEMA,
    }),
    argumentsFor: (params, defaults) => mirrorArguments(id, MirrorForm.parse(params), 'ui', defaults),
  }));
}

/** The command line of a mirror run. */
export function mirrorArguments(
  source: string,
  { mode, limit, resume_strategy, accept_shrink, settings }: z.output<typeof MirrorForm>,
  trigger: 'ui' | 'webhook',
  defaults: readonly string[],
): string[] {
  return [
    'mirror',
    'run',
    `--source=${source}`,
    `--mode=${mode}`,
    `--trigger=${trigger}`,
    ...(limit === undefined ? [] : [`--limit=${limit}`]),
    ...(resume_strategy === undefined ? [] : [`--resume-strategy=${resume_strategy}`]),
    ...(accept_shrink === true ? ['--accept-shrink'] : []),
    ...defaults,
    ...fetchArguments(settings),
  ];
}
