import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StandardSchema } from './standard-schema.ts';
import { describeIssues, validate } from './validate.ts';

/** A schema of no library, which answers as it is told. */
function schemaThat(validateValue: StandardSchema['~standard']['validate']): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate: validateValue } };
}

describe('validate', () => {
  it('gives what the schema makes of the value, typed', () => {
    const result = validate(z.object({ n: z.coerce.number() }), { n: '7', extra: true });
    expect(result).toEqual({ kind: 'valid', value: { n: 7 } });
    if (result.kind === 'valid') expect(result.value.n satisfies number).toBe(7);
  });

  it('gives every issue with its place', () => {
    const schema = z.object({ cases: z.array(z.object({ number: z.string() })), since: z.iso.date() });
    const result = validate(schema, { cases: [{ number: '1' }, { number: 2 }], since: 'x' });
    expect(result).toMatchObject({
      kind: 'invalid',
      issues: [{ path: 'cases[1].number' }, { path: 'since' }],
    });
  });

  it('writes paths of keys and of segments', () => {
    const issues = [
      { message: 'a', path: [{ key: 0 }, 'x', Symbol('s')] },
      { message: 'b', path: undefined },
      { message: 'c', path: [] },
    ];
    expect(
      validate(
        schemaThat(() => ({ issues })),
        1,
      ),
    ).toEqual({
      kind: 'invalid',
      issues: [
        { path: '[0].x.Symbol(s)', message: 'a' },
        { path: '', message: 'b' },
        { path: '', message: 'c' },
      ],
    });
  });

  it('accepts a schema of any library', () => {
    expect(
      validate(
        schemaThat((value) => ({ value: [value] })),
        1,
      ),
    ).toEqual({ kind: 'valid', value: [1] });
  });

  it('refuses a schema that needs to wait, even one that fails later', () => {
    expect(() =>
      validate(
        z.string().refine(async () => true),
        'x',
      ),
    ).toThrow(expect.objectContaining({ code: 'scraper_definition', message: expect.stringContaining('zod') }));
    expect(() =>
      validate(
        schemaThat(() => Promise.reject(new Error('later'))),
        1,
      ),
    ).toThrow('asynchronously');
  });
});

describe('describeIssues', () => {
  it('puts all in one line', () => {
    expect(
      describeIssues([
        { path: 'a', message: 'too short' },
        { path: '', message: 'no object' },
      ]),
    ).toBe('a: too short; no object');
  });
});
