import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredRecord } from '../ledger/record-table.ts';
import type { Json } from '../platform/json.ts';
import { columnsOf, csvLines, safeCell } from './export-csv.ts';

/** Text that is likely to begin like a formula or a number. */
const suspicious = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .tuple(
      fc.constantFrom(...'=+-@\t\r\n＝＋－＠'),
      fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String)),
    )
    .map(([first, rest]) => first + rest),
);

describe('safeCell', () => {
  it.each([' =1+1', '\u00a0=1+1', '\u3000@x', '  -1+1', '\ufeff=1'])('takes %j for a formula behind blanks', (text) => {
    expect(safeCell(text)).toBe(`'${text}`);
  });

  it('never begins like a formula, unless it is a number', () => {
    fc.assert(
      fc.property(suspicious, (text) => {
        const cell = safeCell(text);
        const isNumber = text.trim() === text && text !== '' && Number.isFinite(Number(text));
        expect(/^[=+\-@\t\r\n＝＋－＠]/.test(cell) && !isNumber).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('changes nothing else, and nothing but the beginning', () => {
    fc.assert(
      fc.property(suspicious, (text) => {
        expect([text, `'${text}`]).toContain(safeCell(text));
        expect(safeCell(`a${text}`)).toBe(`a${text}`);
      }),
    );
  });

  it('leaves numbers as they are', () => {
    for (const number of ['-1', '+1', '-1.5e3', '+.5', '-0']) expect(safeCell(number)).toBe(number);
    for (const formula of ['-1+1', '+1a', '--1', '-', '=1', '-1\n']) expect(safeCell(formula)).toBe(`'${formula}`);
  });
});

async function* stored(...data: Json[]): AsyncGenerator<StoredRecord> {
  for (const [index, one] of data.entries()) {
    const place = { id: index, url: 'http://court.example/', step: 'read' };
    yield { ...place, kind: 'case', data: one, valid: true, errors: undefined } as StoredRecord;
  }
}

/** As a spreadsheet reads it. */
const cells = (lines: readonly string[], delimiter: string | string[]): string[][] =>
  parse(lines.join('\n'), { delimiter, relax_column_count: true });

async function csv(...data: Json[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of csvLines(stored(...data), await columnsOf(stored(...data)))) lines.push(line);
  return lines;
}

describe('csvLines', () => {
  it('has a column for every field of any record, in the order they appear', async () => {
    expect(await csv({ b: 1, a: 'x' }, { c: true, a: null })).toEqual([
      'kind,valid,url,b,a,c',
      'case,true,http://court.example/,1,x,',
      'case,true,http://court.example/,,,true',
    ]);
  });

  it('writes what is nested as JSON, and what is no object in a column of its own', async () => {
    expect(await csv({ list: [1, 'a'] })).toContain('case,true,http://court.example/,"[1,""a""]"');
    expect(await csv('bare')).toEqual(['kind,valid,url,value', 'case,true,http://court.example/,bare']);
  });

  const text = fc.oneof(
    suspicious,
    fc.string({ unit: fc.constantFrom('a', '=', '-', '@', ';', ',', '\t', ' ', '"', "'", '\n', '\r', '|') }),
  );

  it('is read back cell by cell, whatever is in them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 4 }), async (values) => {
        const lines = await csv(Object.fromEntries(values.map((value, index) => [`field${index}`, value])));
        expect(cells(lines, ',').at(-1)?.slice(3)).toEqual(values.map(safeCell));
      }),
      { numRuns: 1_000 },
    );
  });

  it('has no formula for a spreadsheet that splits cells at semicolons and tabs too', async () => {
    expect((await csv({ a: 'y;=1+1' })).at(-1)).toBe('case,true,http://court.example/,"y;=1+1"');
    expect((await csv({ a: 'y\t=1+1' })).at(-1)).toBe('case,true,http://court.example/,"y\t=1+1"');
    await fc.assert(
      fc.asyncProperty(text, text, async (name, value) => {
        const lines = await csv({ [name]: value });
        expect(cells(lines, [',', ';', '\t'])).toEqual(cells(lines, ','));
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not confuse fields with what every object has', async () => {
    expect((await csv({ toString: 'x' }, { a: 'y' })).at(-1)).toBe('case,true,http://court.example/,,y');
  });
});
