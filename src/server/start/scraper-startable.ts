// A scraper or site file as something that can be started.

import { z } from 'zod';
import { AnyJson } from '../contract/common.ts';
import { flag, whole } from '../contract/form-value.ts';
import { FetchParams } from '../contract/start.ts';
import { HttpError } from '../http/http-error.ts';
import {
  type FormSchema,
  fetchArguments,
  fetchSettingsSchema,
  objectSchema,
  type StartableDefinition,
} from './startable.ts';

/** What `curlew describe --json` says of a file. */
export const Description = z.object({
  kind: z.enum(['scraper', 'site']).default('scraper'),
  name: z.string(),
  baseUrl: z.string(),
  entries: z.array(z.object({ name: z.string(), params: z.record(z.string(), AnyJson).nullable() })),
  speculators: z.array(z.object({ name: z.string(), highestObserved: z.number(), largestObservedGap: z.number() })),
});
export type Description = z.output<typeof Description>;

const SiteForm = z.strictObject({ settings: FetchParams.optional() });
const ScraperForm = z
  .strictObject({
    entry: z.string(),
    entries: z.record(z.string(), z.record(z.string(), AnyJson)),
    speculators: z.record(
      z.string(),
      z
        .strictObject({ first: whole(Number.MIN_SAFE_INTEGER), last: whole(Number.MIN_SAFE_INTEGER), plus: whole(0) })
        .partial(),
    ),
    fromLast: flag,
    settings: FetchParams,
  })
  .partial();

/** `file` is where it is, `shown` how it is called. */
export function scraperStartable(file: string, shown: string, description: Description): StartableDefinition {
  const { kind, name, baseUrl } = description;
  const common = { id: `${kind}:${shown}`, kind, name, title: name, file: shown, baseUrl, problem: null } as const;
  if (kind === 'site') {
    const { settings, required } = fetchSettingsSchema(baseUrl);
    return {
      ...common,
      schema: objectSchema({ settings }, { required }),
      commandFor: (params, defaults) => ({
        args: ['sites', 'run', file, '--trigger=ui', ...defaults, ...fetchArguments(SiteForm.parse(params).settings)],
        isDryRun: false,
      }),
    };
  }
  return {
    ...common,
    schema: formOf(description),
    commandFor: (params, defaults) => ({
      args: runArguments(file, defaults, ScraperForm.parse(params)),
      isDryRun: false,
    }),
  };
}

/** A file that cannot be started, and why. */
export function brokenStartable(shown: string, problem: string): StartableDefinition {
  return {
    id: `scraper:${shown}`,
    kind: 'scraper',
    name: shown,
    title: shown,
    file: shown,
    baseUrl: null,
    schema: objectSchema({}),
    problem,
    commandFor: () => {
      throw new HttpError(400, 'scraper_file', { message: problem });
    },
  };
}

function formOf({ baseUrl, entries, speculators }: Description): FormSchema {
  const { settings, required } = fetchSettingsSchema(baseUrl);
  // Without one that needs no parameters there is nothing to begin from unless it is said.
  const mustChoose = speculators.length === 0 && entries.every(({ params }) => params !== null);
  const names = [...entries, ...speculators].map(({ name }) => name);
  const withParams = entries.flatMap(({ name, params }) =>
    params === null ? [] : [[name, { title: name, ...params }]],
  );
  const walks = speculators.map(({ name, highestObserved, largestObservedGap }) => [
    name,
    objectSchema(
      {
        first: { type: 'integer', title: 'First id', default: 1 },
        last: { type: 'integer', title: 'Last id that is certain', default: highestObserved },
        plus: { type: 'integer', title: 'Ids to try beyond the last hit', default: largestObservedGap, minimum: 0 },
      },
      { title: name },
    ),
  ]);
  const entry = {
    type: 'string',
    title: 'Begin from',
    description: mustChoose ? 'One of its entries.' : 'One of its entries; left out, all that need no parameters.',
    enum: names,
  };
  const properties = {
    entry,
    ...(withParams.length > 0 && {
      entries: objectSchema(Object.fromEntries(withParams), { title: 'Parameters' }),
    }),
    ...(walks.length > 0 && {
      speculators: objectSchema(Object.fromEntries(walks), { title: 'Ids to ask for' }),
      fromLast: { type: 'boolean', title: 'Start from what earlier runs observed', default: false },
    }),
    settings,
  };
  return objectSchema(properties, { required: [...(mustChoose ? ['entry'] : []), ...required] });
}

function runArguments(file: string, defaults: readonly string[], form: z.output<typeof ScraperForm>): string[] {
  const given = Object.entries(form.entries ?? {}).filter(([, params]) => Object.keys(params).length > 0);
  const [first, second] = given;
  if (second !== undefined || (form.entry !== undefined && first !== undefined && first[0] !== form.entry)) {
    throw new HttpError(400, 'invalid_params', {
      message: 'Parameters can be given to one entry, the one it begins from.',
      details: ['entries: give parameters to one entry only'],
    });
  }
  const entry = form.entry ?? first?.[0];
  const params = Object.entries(first?.[1] ?? {}).filter(([, value]) => value !== null && value !== '');
  return [
    'run',
    file,
    '--trigger=ui',
    ...defaults,
    ...(entry === undefined ? [] : [`--entry=${entry}`]),
    ...params.map(([name, value]) => `--param=${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
    ...Object.entries(form.speculators ?? {}).flatMap(([name, { first: from, last, plus }]) => [
      ...(last === undefined ? [] : [`--speculate=${name}=${from ?? 1}..${last}`]),
      ...(plus === undefined ? [] : [`--plus=${name}=${plus}`]),
    ]),
    ...(form.fromLast === true ? ['--from-last'] : []),
    ...fetchArguments(form.settings),
  ];
}
