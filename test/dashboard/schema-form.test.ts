import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type FormField, fieldsOf, type JsonObject } from '../../web/src/lib/form-field.ts';
import { initialValues, readForm } from '../../web/src/lib/read-form.ts';

function schemaOf(schema: z.ZodType): JsonObject {
  return JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' })));
}

const Params = z.object({
  since: z.iso.date().describe('The first day'),
  court: z.enum(['civil', 'criminal']).default('civil'),
  most: z.int().min(1).max(100).optional(),
  ratio: z.number().optional(),
  judge: z.string().min(2).nullable().optional(),
  sealedToo: z.boolean().default(false),
  tokens: z.array(z.string()).optional(),
  years: z.array(z.int()).optional(),
  range: z.object({ first: z.int().default(1), last: z.int() }).optional(),
  odd: z.union([z.string(), z.array(z.object({ a: z.int() }))]).optional(),
});

const fields = fieldsOf(schemaOf(Params));

function field(key: string): FormField {
  const found = fields.find((one) => one.key === key);
  return found ?? expect.fail(`no field ${key}`);
}

describe('a form of a schema', () => {
  it('has a field of the right kind for each parameter, in order', () => {
    expect(fields.map(({ key, kind }) => `${key} ${kind}`)).toEqual([
      'since text',
      'court choice',
      'most number',
      'ratio number',
      'judge text',
      'sealedToo flag',
      'tokens list',
      'years list',
      'range group',
      'odd json',
    ]);
    expect(field('since')).toMatchObject({ input: 'date', required: true, label: 'Since', help: 'The first day' });
    expect(field('court')).toMatchObject({ options: ['civil', 'criminal'], initial: '0', required: false });
    expect(field('most')).toMatchObject({ whole: true, min: 1, max: 100 });
    expect(field('ratio')).toMatchObject({ whole: false, min: undefined, max: undefined });
    expect(field('sealedToo').label).toBe('Sealed too');
  });

  it('follows references', () => {
    const schema = {
      type: 'object',
      properties: { day: { $ref: '#/$defs/Day' } },
      required: ['day'],
      $defs: { Day: { type: 'string', format: 'date', title: 'Day of filing' } },
    };
    expect(fieldsOf(schema)).toMatchObject([{ kind: 'text', input: 'date', label: 'Day of filing', required: true }]);
  });
});

describe('what was filled in', () => {
  it('becomes parameters that fit the schema', () => {
    const values = {
      ...initialValues(fields),
      since: '2026-01-31',
      court: '1',
      most: '20',
      ratio: '0.5',
      sealedToo: true,
      tokens: 'FSD 1\n\n FSD 2 ',
      years: '2025\n2026',
      'range.last': '500',
      odd: '[{"a":1}]',
    };
    const result = readForm(fields, values);
    expect(result).toEqual({
      kind: 'params',
      params: {
        since: '2026-01-31',
        court: 'criminal',
        most: 20,
        ratio: 0.5,
        sealedToo: true,
        tokens: ['FSD 1', 'FSD 2'],
        years: [2025, 2026],
        range: { first: 1, last: 500 },
        odd: [{ a: 1 }],
      },
    });
    expect(Params.safeParse(result.kind === 'params' && result.params).success).toBe(true);
  });

  it('leaves out what was left empty, and groups that were not touched, whatever they need', () => {
    expect(readForm(fields, { ...initialValues(fields), since: '2026-01-31' })).toEqual({
      kind: 'params',
      params: { since: '2026-01-31', court: 'civil', sealedToo: false },
    });
  });

  it('is refused with a sentence for each field that is wrong', () => {
    const values = {
      ...initialValues(fields),
      most: '200',
      ratio: 'much',
      judge: 'x',
      years: '2025\nlast year',
      'range.first': '7',
      odd: '[',
    };
    const result = readForm(fields, values);
    expect(result.kind === 'errors' && result.errors).toEqual({
      since: 'Since is needed.',
      most: 'Most is at most 100.',
      ratio: 'Ratio is a number.',
      judge: 'Judge has at least 2 characters.',
      years: 'Years: last year is not a number.',
      'range.last': 'Last is needed.',
      odd: expect.stringMatching(/^Odd is not JSON: /),
    });
  });

  it('a pattern is held, and one that cannot be read is left to the server', () => {
    const schema = (pattern: string): JsonObject => ({
      type: 'object',
      properties: { rate: { type: 'string', pattern } },
    });
    expect(readForm(fieldsOf(schema('^(off|\\d+)$')), { rate: 'fast' }).kind).toBe('errors');
    expect(readForm(fieldsOf(schema('^(off|\\d+)$')), { rate: 'off' }).kind).toBe('params');
    expect(readForm(fieldsOf(schema('(')), { rate: 'off' }).kind).toBe('params');
  });
});
