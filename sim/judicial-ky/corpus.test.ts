import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Corpus, type CorpusVersion } from './corpus.ts';
import { INDEX_COLUMNS, indexCsv } from './index-row.ts';

const corpus = new Corpus({ seed: 7 });
const rowsOf = (version: CorpusVersion): string[][] =>
  parse(indexCsv(corpus.rows(version)), { bom: true, relax_column_count: true });
const tokens = (version: CorpusVersion) => corpus.active(version).map(({ token }) => token);

/** The normalisation that the mirror is to do, as far as this corpus needs it. */
function norm(raw: string): string {
  return decodeURIComponent(raw.replaceAll('&amp;', '&'))
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
}

describe('the corpus', () => {
  it('has as many cases as asked for, each with a token and a number of its own', () => {
    expect(corpus.active('v1')).toHaveLength(4_300);
    expect(new Set(corpus.cases.map((one) => one.norm)).size).toBe(4_307);
    expect(new Set(corpus.cases.map((one) => one.fid)).size).toBe(4_307);
  });

  it('follows from the seed', () => {
    const small = { seed: 3, cases: 60 };
    expect(new Corpus(small).rows('v2')).toEqual(new Corpus(small).rows('v2'));
    expect(tokens('v1')).not.toEqual(new Corpus({ seed: 8 }).active('v1').map(({ token }) => token));
  });

  it('gives a case the same fields however many others there are', () => {
    expect(new Corpus({ seed: 7, cases: 50 }).active('v1')).toEqual(corpus.active('v1').slice(0, 50));
  });

  it('has tokens of both shapes', () => {
    const shaped = corpus.cases.filter(({ token }) =>
      /^(FSD|G|FAM|CICA|IND)\d{4}20\d\d[01]\d[0-3]\d20\d\d[A-Z&-]+$/.test(token),
    );
    const opaque = corpus.cases.filter(({ token }) => /^[0-9A-F]{52}$/.test(token));
    expect(shaped.length + opaque.length).toBe(corpus.cases.length);
    expect(opaque.length / corpus.cases.length).toBeCloseTo(0.25, 1);
  });

  it('is criminal in about a tenth, and the category says so', () => {
    const criminal = corpus.cases.filter(({ isCriminal }) => isCriminal);
    expect(criminal.length / corpus.cases.length).toBeCloseTo(0.1, 1);
    expect(corpus.cases.filter(({ category }) => /criminal/i.test(category))).toEqual(criminal);
    expect(corpus.wanted('v1')).toHaveLength(4_300 - criminal.length);
  });

  it('has three cases of one title and many more that share theirs', () => {
    const [first, second, third] = corpus.cases;
    expect([second?.title, third?.title]).toEqual([first?.title, first?.title]);
    const titles = new Set(corpus.wanted('v1').map(({ title }) => title));
    expect(titles.size).toBeLessThan(corpus.wanted('v1').length * 0.95);
  });

  it('writes dates in five forms, leaves some out, and one cannot be read', () => {
    const forms = corpus.cases.map(({ dateText }) => dateText.replace(/\d/g, '9').replace(/[A-Z][a-z]+/, 'Mon'));
    expect([...new Set(forms)].sort()).toEqual(
      [
        '',
        '9 Mon 9999',
        '99 Mon 9999',
        '99-Mon-9999',
        '99/99/9999',
        '9999-99-99',
        '9999-Mon-99',
        'to be announced',
      ].sort(),
    );
    expect(corpus.cases.every(({ dateText, judgmentDate }) => (judgmentDate === null) === /^\D*$/.test(dateText))).toBe(
      true,
    );
  });

  it.each([40, 499, 500, 4_300])(
    'of %i cases adds 7, removes 3 and retitles 2 in v2, and brings one back in v3',
    (cases) => {
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 10_000 }), (seed) => {
          const one = new Corpus({ seed, cases });
          const titles = (version: CorpusVersion) =>
            new Map(one.active(version).map(({ norm, title }) => [norm, title]));
          const [v1, v2, v3] = [titles('v1'), titles('v2'), titles('v3')];
          const minus = (a: Map<string, string>, b: Map<string, string>) =>
            [...a.keys()].filter((norm) => !b.has(norm));
          const norms = (list: readonly { readonly norm: string }[]) => list.map(({ norm }) => norm).sort();
          const retitled = [...v1.keys()].filter((norm) => v2.has(norm) && v2.get(norm) !== v1.get(norm));
          expect([minus(v2, v1).sort(), minus(v1, v2).sort(), retitled.sort()]).toEqual([
            norms(one.added),
            norms(one.removed),
            norms(one.retitled),
          ]);
          expect([one.added.length, one.removed.length, one.retitled.length]).toEqual([7, 3, 2]);
          expect([...one.added, ...one.removed, ...one.retitled].some(({ isCriminal }) => isCriminal)).toBe(false);
          expect([minus(v3, v2), minus(v2, v3)]).toEqual([[one.removed[0]?.norm], []]);
          expect(one.rows('v2').length - one.rows('v1').length).toBe(4);
        }),
        { numRuns: cases > 1_000 ? 2 : 20 },
      );
    },
  );

  it('is not made too small for its special cases', () => {
    expect(() => new Corpus({ cases: 39 })).toThrow('too small');
  });
});

describe('its files', () => {
  const files = corpus.cases.map(({ token }) => corpus.pdf(token));

  it('are PDFs of at least 1024 bytes, no two alike', () => {
    for (const file of files) {
      expect(file.length).toBeGreaterThanOrEqual(1_024);
      expect(file.toString('latin1', 0, 8)).toBe('%PDF-1.4');
      expect(file.toString('latin1', file.length - 6)).toBe('%%EOF\n');
    }
    expect(new Set(corpus.cases.map(({ token }) => corpus.sha256(token))).size).toBe(files.length);
  });

  it('follow from seed and token alone', () => {
    const other = new Corpus({ seed: 7, cases: 50 });
    const token = other.cases[20]?.token ?? '';
    expect(other.pdf(token)).toEqual(corpus.pdf(token));
  });
});

describe('its index', () => {
  it('leads with a BOM and the header, and ends its lines with CRLF', () => {
    const csv = indexCsv(corpus.rows('v1'));
    expect(csv.startsWith(`\uFEFF${INDEX_COLUMNS.join(',')}\r\n`)).toBe(true);
    expect(csv.endsWith('\r\n')).toBe(true);
  });

  it('names every case, and nothing else, once its tokens are split and normalised', () => {
    const cells = rowsOf('v1')
      .slice(1)
      .map((row) => row[7] ?? '');
    // Unescaped first: the semicolon of `&amp;` parts no tokens.
    const named = cells.flatMap((cell) => cell.replaceAll('&amp;', '&').split(/[|;,]/)).map(norm);
    const wanted = corpus.active('v1').map((one) => one.norm);
    expect(new Set(named.filter((token) => token !== ''))).toEqual(new Set(wanted));
    expect(named.length).toBeGreaterThan(wanted.length);
  });

  it('repeats some tokens, exactly and otherwise, with the same fields', () => {
    const [, ...rows] = rowsOf('v1');
    const token = corpus.cases[3]?.token;
    expect(rows.filter((row) => row[7] === token)).toHaveLength(2);
    const other = corpus.cases[4];
    const alike = rows.filter((row) => norm(row[7] ?? '') === other?.norm);
    expect(new Set(alike.map((row) => row[7])).size).toBe(2);
    expect(new Set(alike.map((row) => row[3]))).toEqual(new Set([other?.title]));
  });

  it('has ragged rows, rows without a token, and cells that need quotes', () => {
    const [, ...rows] = rowsOf('v1');
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([7, 8, 9]));
    expect(rows.filter((row) => (row[7] ?? '') === '').length).toBeGreaterThan(1);
    expect(rows.map((row) => row[3])).toEqual(
      expect.arrayContaining([corpus.cases[15]?.title, corpus.cases[16]?.title, '']),
    );
  });

  it.each([40, 4_300])('is readable in at least 95 of 100 rows, of %i cases too', (cases) => {
    const rows = new Corpus({ cases }).rows('v1');
    expect(rows.filter(({ tokens }) => tokens.length > 0).length / rows.length).toBeGreaterThan(0.95);
  });
});
