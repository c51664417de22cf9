// Compares with lxml: fixtures/oracle.json holds its answers, written by fixtures/make-oracle.py.
import { readFileSync } from 'node:fs';
import { ElementType, parseDocument } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CurlewError } from '../../platform/errors.ts';
import { compileXPath, stringValue, type XPathNode, type XPathValue } from './xpath.ts';

const Oracle = z.object({
  pages: z.record(z.string(), z.array(z.string())),
  errors: z.array(z.string()),
  pairs: z.array(
    z.union([
      z.tuple([z.string(), z.string(), z.literal('nodes'), z.array(z.number())]),
      z.tuple([z.string(), z.string(), z.enum(['string', 'number']), z.string()]),
      z.tuple([z.string(), z.string(), z.literal('boolean'), z.boolean()]),
    ]),
  ),
});

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
const oracle = Oracle.parse(JSON.parse(fixture('oracle.json')));
const roots = new Map(
  Object.keys(oracle.pages).map((page) => [page, htmlElement(parseDocument(fixture(`${page}.html`)))]),
);

describe('XPath and lxml', () => {
  it.each(Object.keys(oracle.pages))('read the same tree from the page "%s"', (page) => {
    expect(answer(page, '//node() | //@*')).toEqual(oracle.pages[page]);
  });

  it('are compared on at least 300 pairs of expression and page', () => {
    expect(oracle.pairs.length).toBeGreaterThanOrEqual(300);
  });

  it.each(oracle.pairs)('agree on the page "%s" about %s', (page, expression, kind, value) => {
    const labels = oracle.pages[page] ?? [];
    const expected =
      kind === 'nodes' ? value.map((number) => labels[number]) : kind === 'number' ? Number(value) : value;
    expect(answer(page, expression)).toEqual(expected);
  });

  it.each(oracle.errors)('both refuse "%s"', (expression) => {
    expect(() => compileXPath(expression)).toThrow(CurlewError);
  });
});

function answer(page: string, expression: string) {
  const root = roots.get(page);
  if (root === undefined) throw new Error(`no page ${page}`);
  const value: XPathValue = compileXPath(expression).evaluate(root);
  // lxml cannot show the root node.
  return value.kind === 'nodes' ? value.nodes.filter((node) => parentOf(node) !== null).map(label) : value.value;
}

function htmlElement(document: XPathNode): XPathNode {
  const [html] = compileXPath('/html').select(document);
  if (html === undefined) throw new Error('the page has no html element');
  return html;
}

function parentOf(node: XPathNode): XPathNode | null {
  return node.type === 'attribute' ? node.owner : node.parent;
}

/** The same as `label` in make-oracle.py. */
function label(node: XPathNode): string {
  const value = stringValue(node);
  if (node.type === 'attribute') return `${label(node.owner)}/@${node.name}=${value}`;
  const isText = node.type === ElementType.Text;
  const name = 'attribs' in node ? node.name : `${node.type}()`;
  let position = 1;
  for (let before = node.prev; before !== null; before = before.prev) {
    if ('attribs' in before ? before.name === name : `${before.type}()` === name) position++;
  }
  const above = node.parent === null || node.parent.type === ElementType.Root ? '' : label(node.parent);
  return `${above}/${name}[${position}]${isText ? `=${value}` : ''}`;
}
