// Where a run can begin. An entry is declared as a field of a scraper; the field's name is the entry's name.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { assertFunction, describeValue } from './author-function.ts';
import type { Request } from './request.ts';
import type { StandardSchema } from './standard-schema.ts';

/** One request or several, of any iterable kind. Lazy ones are read as they are needed, however many they yield. */
export type EntryRequests = Request | Iterable<Request, void>;

/** A way into a site; made by `entry`. `Params` is undefined for one that takes none. */
export interface Entry<Params = unknown> {
  readonly kind: 'entry';
  readonly schema: StandardSchema<unknown, Params> | undefined;
  /** A method on purpose: an entry of particular parameters is an entry. */
  begin(params: Params): EntryRequests;
}

/**
 * Declares an entry. With a schema, the run must be given parameters that fit it.
 *
 * @example
 * start = entry(() => get('/', this.parseHome));
 * recent = entry(z.object({ since: z.iso.date() }), ({ since }) => get(`/recent?since=${since}`, this.parseList));
 */
export function entry(begin: () => EntryRequests): Entry<undefined>;
export function entry<Schema extends StandardSchema>(
  schema: Schema,
  begin: (params: StandardSchema.InferOutput<Schema>) => EntryRequests,
): Entry<StandardSchema.InferOutput<Schema>>;
export function entry(first: unknown, ...rest: readonly unknown[]): Entry<unknown> {
  const begin = rest.length === 0 ? first : rest[0];
  const schema = rest.length === 0 ? undefined : first;
  if (schema === undefined ? rest.length > 0 : !isSchema(schema)) {
    throw new CurlewError(
      ErrorCode.scraperDefinition,
      `The schema of an entry is ${describeValue(schema)}, but it must be a schema of zod or another library.`,
      { remedy: 'Write entry(z.object({ … }), (params) => …), or entry(() => …) for one without parameters.' },
    );
  }
  if (isSchema(begin)) {
    throw new CurlewError(ErrorCode.scraperDefinition, 'An entry has a schema, but no function that begins it.', {
      remedy: 'Write entry(schema, (params) => get(…)).',
    });
  }
  assertFunction('What an entry begins with', begin, { yield: true });
  return { kind: 'entry', schema: schema as StandardSchema | undefined, begin: begin as Entry<unknown>['begin'] };
}

function isSchema(value: unknown): boolean {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value;
}

/** True for what `entry` returns. */
export function isEntry(value: unknown): value is Entry<unknown> {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'entry';
}
