// One finding of a step. Validation happens when the engine takes it: an invalid record is kept with its errors.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { describeValue } from './author-function.ts';
import type { StandardSchema } from './standard-schema.ts';

/** A record on its way out of a step; made by `record`. */
export interface ScrapedRecord {
  readonly kind: 'record';
  /** What sort of thing it is: `case`, `document`. */
  readonly type: string;
  readonly schema: StandardSchema;
  readonly data: unknown;
}

/**
 * Yields `data` as a record of the sort `type`. It is checked against `schema` (zod, valibot, arktype: any Standard
 * Schema); what the schema returns is stored. Data that does not fit is stored as it is, marked invalid, with its errors.
 *
 * @example
 * yield record('case', Case, { number: page.text('.number'), title: page.text('h1') });
 */
export function record<Schema extends StandardSchema>(
  type: string,
  schema: Schema,
  data: StandardSchema.InferInput<Schema>,
): ScrapedRecord {
  if (typeof type !== 'string' || type === '') {
    throw new CurlewError(
      ErrorCode.stepFailed,
      `The sort of a record is ${describeValue(type)}, but it must be a text.`,
    );
  }
  if (schema?.['~standard'] === undefined) {
    throw new CurlewError(ErrorCode.stepFailed, `The schema of record ${type} is ${describeValue(schema)}.`, {
      remedy: 'Give a schema of zod, valibot, arktype or another Standard Schema library.',
    });
  }
  return { kind: 'record', type, schema, data };
}

/** True for what `record` returns. */
export function isRecord(value: unknown): value is ScrapedRecord {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'record';
}
