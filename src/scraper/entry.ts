// Where a run can begin. An entry is declared as a field of a scraper; the field's name is the entry's name.

import type { Request } from './request.ts';
import type { StandardSchema } from './standard-schema.ts';

/** One request or several, of any iterable kind. Lazy ones are read as they are needed, however many they yield. */
export type EntryRequests = Request | Iterable<Request>;

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
export function entry(
  first: StandardSchema | (() => EntryRequests),
  begin?: (params: unknown) => EntryRequests,
): Entry<unknown> {
  if (begin === undefined) return { kind: 'entry', schema: undefined, begin: first as () => EntryRequests };
  return { kind: 'entry', schema: first as StandardSchema, begin };
}

/** True for what `entry` returns. */
export function isEntry(value: unknown): value is Entry<unknown> {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'entry';
}
