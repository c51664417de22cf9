// No query may take more than linear time, whatever the page: the reads of a tree are counted as it gets twice as large.

import { describe, expect, it } from 'vitest';
import { CssQuery } from '../page/css-query.ts';
import { parseTree } from '../page/parse-tree.ts';
import { countReads } from './count-reads.ts';
import { QueryEffort } from './query-effort.ts';

const SIZE = 3_000;
/** So few steps that both sizes are far beyond. */
const LIGHT_STEPS = 100;

/** A list of rows, with cells, text and comments between; the last ones differ. */
const flat = (size: number) =>
  `<table>${'<tr class=x><td>m</td></tr>\n<!-- -->'.repeat(size / 10)}${'<!-- -->'.repeat(size / 5)}<th>n</th></table>`;
/** Siblings that all have other names. */
const named = (size: number) => Array.from({ length: size / 5 }, (_, index) => `<x-${index}></x-${index}>`).join('');
/** Elements around elements, as deep as a tree gets, and many leaves at the bottom. */
const deep = (size: number) => `${'<div><i></i>'.repeat(250)}${'<b>m</b>'.repeat(size / 4)}<b class=y>n</b>`;

const SELECTORS = [
  ...['tr:nth-child(2n)', 'tr:nth-last-child(2n)', 'tr:nth-of-type(2n+1)', 'tr:nth-last-of-type(3)', 'td:nth-child(1)'],
  ...['tr:nth-child(2n of .x)', 'tr:nth-last-child(2n of .x:has(td))', ':first-child', ':last-child', ':only-child'],
  ...[':first-of-type', ':last-of-type', ':only-of-type', 'tr + tr', 'tr ~ tr', '.none ~ tr', '.none ~ tr ~ th'],
  ...['tr ~ tr ~ tr ~ th ~ tr', 'tr + tr + tr + th + tr', '.none + tr ~ tr', ':nth-child(2n) ~ tr:nth-last-child(2n)'],
  ...['table:has(th) > tr', 'table:has(.none) > tr', 'table:has(> th) > tr > td', 'tr:has(~ th)', 'tr:has(~ .none)'],
  ...['tr:has(+ tr)', 'tr:has(+ tr ~ th)', 'tr:has(~ tr > td)', 'tr:has(td:contains(n))', 'table:contains(n) td'],
  ...['table:contains(none) td', 'table:not(:contains(n)) td', 'tr:not(.none ~ tr)', ':is(table tr, .none ~ tr) td'],
  ...['table:empty > tr', 'table:parent > tr', ':root tr', ':scope tr', 'tr[class~=x]', '[class^=x] ~ [class$=x]'],
  ...['div:has(b)', 'div:has(.y)', 'div:has(.none)', 'div:has(> b)', 'div:has(i ~ .y)', 'div:has(div div .y)'],
  ...['div:contains(n)', 'div:icontains(N)', 'div:contains(none)', 'div:contains(mn) b', 'div:not(:contains(none))'],
  ...['div div div div b', '.none div div div b', '.none div div div div div b', 'i ~ div i ~ div .none ~ b'],
  ...[
    'div:has(.y) div:has(.none) b',
    'div:not(div .none) b',
    ':not(.none div div) > b',
    'div:first-child b:last-child',
  ],
  ...[
    'div:has(> i + div .y)',
    'div > div > div b + b',
    'div:nth-child(2) div:nth-child(2) b',
    ':selected',
    ':disabled',
  ],
];

describe.each(Object.entries({ flat, named, deep }))('on a page that is %s', (_, make) => {
  it.each(SELECTORS)('%s takes time in proportion to the size of the page', (selector) => {
    const reads = [SIZE, 2 * SIZE].map((size) => {
      const { document } = parseTree(make(size), 'html', { url: 'https://court.example/' });
      const query = new CssQuery(selector, false, new QueryEffort(LIGHT_STEPS));
      return countReads(document, () => query.select(document));
    });
    expect((reads[1] ?? 0) / (reads[0] ?? 0)).toBeLessThan(2.5);
    // A few for each node, not one for each level of the tree.
    expect(reads[1] ?? 0).toBeLessThan(2 * SIZE * 30);
  });
});

describe('rows that are asked one by one', () => {
  const pairs = (size: number) => `<dl>${'<dt>a</dt>\n<dd>b</dd>'.repeat(size / 8)}</dl>`;

  it.each(['+ dd', '+ dd > b', ':nth-child(1)', ':scope:nth-child(2n) > b', 'b:contains(n)'])(
    'for %s take time in proportion to their number',
    (selector) => {
      const reads = [SIZE, 2 * SIZE].map((size) => {
        const { document } = parseTree(pairs(size), 'html', { url: 'https://court.example/' });
        const terms = new CssQuery('dt', false).select(document);
        const query = new CssQuery(selector, false, new QueryEffort(LIGHT_STEPS));
        return countReads(document, () => terms.flatMap((term) => query.select(term)));
      });
      expect((reads[1] ?? 0) / (reads[0] ?? 0)).toBeLessThan(2.5);
    },
  );
});
