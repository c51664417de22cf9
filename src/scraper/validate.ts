// Checks a value against a Standard Schema, at once: steps are pure and synchronous, so a schema must be too.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { StandardSchema } from './standard-schema.ts';

/** One reason why a value does not fit. */
export interface Issue {
  /** Where in the value, as one would write it in code: `cases[0].number`. Empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

export type Validation<Output> =
  | { readonly kind: 'valid'; readonly value: Output }
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] };

/** Checks `value`. What the schema returns (defaults filled in, text coerced) is the valid value. */
export function validate<Schema extends StandardSchema>(
  schema: Schema,
  value: unknown,
): Validation<StandardSchema.InferOutput<Schema>> {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) {
    // Its outcome is not wanted any more, and must not end the process as an unhandled rejection.
    result.catch(() => {});
    throw new CurlewError(
      ErrorCode.scraperDefinition,
      `A schema of ${schema['~standard'].vendor} validates asynchronously.`,
      { remedy: 'Use a schema without async refinements or transforms: steps do no I/O.' },
    );
  }
  if (result.issues === undefined) return { kind: 'valid', value: result.value };
  return {
    kind: 'invalid',
    issues: result.issues.map(({ message, path = [] }) => ({ path: writePath(path), message })),
  };
}

/** All issues in one line: `number: expected a string; cases[0]: …`. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}

function writePath(path: NonNullable<StandardSchema.SchemaIssue['path']>): string {
  return path
    .map((segment) => (typeof segment === 'object' ? segment.key : segment))
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`;
      return index === 0 ? String(key) : `.${String(key)}`;
    })
    .join('');
}
