import { describe, expect, it } from 'vitest';
import { pdfWithText } from './pdf.ts';

describe('pdfWithText', () => {
  const file = pdfWithText('Case (2024-CV-000017), document 1').toString('latin1');

  it('begins with a header and ends with %%EOF', () => {
    expect(file.startsWith('%PDF-1.4\n')).toBe(true);
    expect(file.endsWith('%%EOF\n')).toBe(true);
  });

  it('has a cross-reference table whose every offset is where the object begins', () => {
    const start = Number(/startxref\n(\d+)\n/.exec(file)?.[1]);
    const table = /^xref\n0 (\d+)\n((?:\d{10} \d{5} [fn] \n)+)trailer\n/.exec(file.slice(start));
    const entries = (table?.[2] ?? '').match(/.{19}\n/g) ?? [];
    expect(entries).toHaveLength(Number(table?.[1]));
    const objects = entries.slice(1).map((entry) => file.slice(Number(entry.slice(0, 10))));
    expect(objects.map((object) => object.slice(0, 8))).toEqual([1, 2, 3, 4, 5].map((n) => `${n} 0 obj\n`));
  });

  it('states the true length of its content, with parentheses escaped', () => {
    const [, length, content] = /\/Length (\d+) >>\nstream\n(.*)\nendstream/.exec(file) ?? [];
    expect(content).toContain('(Case \\(2024-CV-000017\\), document 1) Tj');
    expect(content).toHaveLength(Number(length));
  });

  it('sets each line below the one before', () => {
    expect(pdfWithText('a', 'b').toString('latin1')).toContain('720 Td (a) Tj 0 -16 Td (b) Tj ET');
  });

  it('gives the same bytes for the same text', () => {
    expect(pdfWithText('a')).toEqual(pdfWithText('a'));
  });
});
