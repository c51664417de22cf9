// No ordinary expression may take more than linear time, whatever the page: the reads of a tree are counted as it gets
// twice as large.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countReads } from '../css/count-reads.ts';
import { parseTree } from '../page/parse-tree.ts';
import { compileXPath } from './xpath.ts';

const SIZE = 3_000;
const documentOf = (html: string) => parseTree(html, 'html', { url: 'https://court.example/' }).document;
const rows = (size: number) =>
  documentOf(`<table>${'<tr><td>m</td><td>n</td></tr>\n'.repeat(size / 6)}<th>n</th></table>`);

describe('on a table of many rows', () => {
  it.each([
    ...['//tr[2]', '//tr[position() mod 2 = 0]', '//td[1]/following-sibling::td[1]', '(//tr)[5]', '//tr[last()]'],
    ...['//td/ancestor::table[1]', '//table//tr//td', '//tr | //td | //th', '//td/.. | //th', '//tr[td[2]]/td[1]'],
    ...['//tr[preceding-sibling::tr]', '//tr[not(preceding-sibling::th)]', '//tr[following-sibling::th]'],
    ...['//tr/following-sibling::th[1]', '//tr/preceding-sibling::th[1]', '//tr[following-sibling::*[1][self::tr]]'],
    ...['//tr[count(preceding-sibling::tr) mod 2 = 0]', '//tr[count(following-sibling::*) > 3]'],
    ...['//tr[not(following-sibling::th[. = "none"])]', '//tr/following-sibling::tr', '//tr/preceding-sibling::tr'],
    ...['//tr[count(preceding-sibling::tr[td]) = 7]', '//tr[last() - 1]'],
  ])('%s takes time in proportion to the number of rows', (expression) => {
    const reads = [SIZE, 2 * SIZE].map((size) => {
      const document = rows(size);
      return countReads(document, () => compileXPath(expression).select(document));
    });
    expect((reads[1] ?? 0) / (reads[0] ?? 0)).toBeLessThan(2.5);
  });
});

describe('siblings in a long list', () => {
  it('are the same ones in the same order, however often they are asked for', () => {
    const child = fc.constantFrom('<a></a>', '<b></b>', 'm<!-- -->', '<i class=x></i>', '<!-- --><!-- -->');
    const step = fc.constantFrom(
      'a',
      '*',
      'text()',
      'node()',
      'b[following-sibling::a]',
      'i[@class]',
      'a[2]',
      '*[last()]',
    );
    fc.assert(
      fc.property(fc.array(child, { minLength: 40, maxLength: 90 }), step, (children, test) => {
        const [top] = documentOf(`<p>${children.join('')}</p>`).children;
        const nodes = top !== undefined && 'children' in top ? top.children : [];
        for (const axis of ['following-sibling', 'preceding-sibling']) {
          const siblings = compileXPath(`${axis}::${test}`);
          const count = compileXPath(`count(${axis}::${test})`);
          const beside = axis === 'following-sibling' ? 'following::' : 'preceding::';
          // All lie in one list, so what follows a node are its siblings.
          const plainly = compileXPath(`${beside}${test.replace('following-sibling::a', 'following::a')}`);
          for (const node of nodes) {
            const expected = plainly.select(node);
            expect(siblings.select(node)).toEqual(expected);
            expect(count.evaluate(node)).toEqual({ kind: 'number', value: expected.length });
          }
        }
      }),
      { numRuns: 20 },
    );
  });
});
