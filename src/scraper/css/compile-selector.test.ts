import { _compileUnsafe } from 'css-select';
import type { AnyNode, Element, ParentNode } from 'domhandler';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CssQuery } from '../page/css-query.ts';
import { parseTree } from '../page/parse-tree.ts';
import { samplePage } from '../page/sample-page.ts';
import { isElement } from '../xpath/xpath-node.ts';
import { QueryEffort } from './query-effort.ts';

/** So many comments that siblings are looked up and not counted. */
const LONG = '<!-- -->'.repeat(40);

const names = fc.constantFrom('a', 'b', 'i', 'template');
const leaf = fc.constantFrom('m', 'n', 'mn', ' ', '<!--m-->', '<br>', LONG, '<a></a>', '<b class=x></b>', 'MN');
const { tree } = fc.letrec<{ tree: string; element: string }>((tie) => ({
  tree: fc
    .array(fc.oneof({ depthSize: 'small' }, leaf, tie('element')), { maxLength: 5 })
    .map((parts) => parts.join('')),
  element: fc
    .tuple(names, fc.constantFrom('', ' class=x', ' class=y', ' class="x y" lang=en'), tie('tree'))
    .map(([name, attributes, inside]) => `<${name}${attributes}>${inside}</${name}>`),
}));

const formula = fc.constantFrom(
  '1',
  '2',
  '2n',
  '2n+1',
  'odd',
  'even',
  'n',
  '-n+2',
  'n+2',
  '3n-1',
  '-2n+3',
  '0',
  ' 2n - 1 ',
);
const simple = fc.oneof(
  fc.constantFrom('a', 'b', 'i', '*', 'br', '.x', '.y', '[class]', '[class~=y]', '[lang|=en]', ':root', ':empty'),
  fc.constantFrom('first', 'last', 'only').chain((place) => fc.constantFrom(`:${place}-child`, `:${place}-of-type`)),
  fc.constantFrom(
    ':contains(m)',
    ':contains("nm")',
    ':icontains(MnM)',
    ':contains("\n")',
    ':lang(en)',
    ':contains("")',
  ),
  fc
    .tuple(fc.constantFrom('child', 'last-child', 'of-type', 'last-of-type'), formula)
    .map(([kind, rule]) => `:nth-${kind}(${rule})`),
);
const combinator = fc.constantFrom(' ', ' > ', ' + ', ' ~ ');
const plain = fc.array(simple, { minLength: 1, maxLength: 2 }).map(compound);
const plainChain = chain(plain);
const { selector } = fc.letrec<{ selector: string; nested: string }>((tie) => ({
  selector: fc
    .array(chain(fc.oneof(plain, tie('nested'))), { minLength: 1, maxLength: 2 })
    .map((list) => list.join(', ')),
  nested: fc.oneof(
    { depthSize: 'small' },
    fc.tuple(fc.constantFrom('is', 'not', 'where'), tie('selector')).map(([name, inside]) => `:${name}(${inside})`),
    fc
      .tuple(fc.constantFrom('nth-child', 'nth-last-child'), formula, tie('selector'))
      .map(([name, rule, inside]) => `:${name}(${rule.trim()} of ${inside})`),
    // Not nested further: there css-select takes the element of :has for the scope also of :is and :not.
    fc.tuple(fc.constantFrom('', '> ', '+ ', '~ '), plainChain).map(([start, inside]) => `:has(${start}${inside})`),
    fc.constantFrom(':scope', ':scope > a', ':has(:scope > b)', ':has(a:not(.x))', ':has(:is(a, b + i))', ':parent'),
  ),
}));

function compound(parts: readonly string[]): string {
  // A name stands first, and only one can.
  const [name = ''] = parts.filter((part) => /^[a-z*]/.test(part));
  return [name, ...parts.filter((part) => !/^[a-z*]/.test(part))].join('');
}

function chain(part: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(combinator, part), { minLength: 1, maxLength: 3 })
    .map((steps) => steps.map(([step, inside], index) => (index === 0 ? inside : step + inside)).join(''));
}

function documentOf(html: string) {
  return parseTree(html, 'html', { url: 'https://court.example/' }).document;
}

describe.each([
  ['light', undefined],
  ['heavy from its first step', 0],
  ['heavy after a few steps', 7],
])('a query that is %s', (_, lightSteps) => {
  const query = (text: string) => new CssQuery(text, false, new QueryEffort(lightSteps));

  it('finds in a page what css-select finds', () => {
    fc.assert(
      fc.property(tree, selector, (html, text) => {
        const document = documentOf(html);
        const expected = selectPlainly(text, document);
        expect(query(text).select(document).map(outline)).toEqual(expected.map(outline));
      }),
      { numRuns: 3_000 },
    );
  });

  it('finds in or beside an element what css-select finds', () => {
    const scoped = fc.tuple(fc.constantFrom('', '', '> ', '+ ', '~ '), selector).map((parts) => parts.join(''));
    fc.assert(
      fc.property(tree, scoped, fc.nat(), (html, text, choice) => {
        const elements = elementsBelow(documentOf(`<div>${html}</div>`)).slice(1);
        const top = elements[choice % elements.length];
        fc.pre(top !== undefined);
        const expected = selectPlainly(text, top);
        expect(query(text).select(top).map(outline)).toEqual(expected.map(outline));
      }),
      { numRuns: 3_000 },
    );
  });

  it('remembers nothing of another page or scope', () => {
    const text = query('i:has(.x) b, i:contains(m) ~ b, b:nth-child(2 of .x), a .x > b');
    const pages = ['<i>m</i><b></b>', '<i></i><b></b>', '<i><a class=x></a><b></b></i>', '<i><a></a><b></b></i>'];
    const found = pages.map((html) => text.select(documentOf(`<div>${html}</div>`)).length);
    expect(found).toEqual([1, 0, 1, 0]);
  });
});

describe('a selector', () => {
  const page = samplePage(
    '<dl><dt>a</dt><dd class=x>1</dd><dt>b</dt><dd>2</dd></dl><select><option>1<option>2</select>',
  );

  it('in :has looks at what stands beside an element as it is, also in :not and :is', () => {
    expect(page.texts('dt:has(+ dd:not(.x))')).toEqual(['b']);
    expect(page.texts('dt:has(+ :is(.x, .y))')).toEqual(['a']);
  });

  it('knows the states of form controls', () => {
    expect(page.texts('option:selected, :checked')).toEqual(['1']);
    expect(page.texts('option:enabled')).toEqual(['1', '2']);
    expect(page.all(':disabled')).toEqual([]);
  });

  it.each(['a:nth-child(x)', 'a:nth-child(2 of )', ':nope', ':nope(a)', 'a::before', 'svg|a', 'a || b', ':has(', ' '])(
    'such as %j is refused before any page is read',
    (text) => {
      expect(() => new CssQuery(text, false)).toThrow(expect.objectContaining({ code: 'selector_syntax' }));
    },
  );
});

/** The elements that css-select matches, each one tested. */
function selectPlainly(text: string, top: ParentNode): Element[] {
  const scope = isElement(top) ? { context: top } : {};
  const matches = _compileUnsafe<AnyNode, Element>(text, { ...scope, cacheResults: false });
  const candidates = elementsBelow(top);
  for (let node = matches.shouldTestNextSiblings ? top.next : null; node !== null; node = node.next) {
    if (isElement(node)) candidates.push(node, ...(node.name === 'template' ? [] : elementsBelow(node)));
  }
  return candidates.filter(matches);
}

function elementsBelow(top: ParentNode): Element[] {
  const children = top.children.filter(isElement);
  return children.flatMap((child) => [child, ...(child.name === 'template' ? [] : elementsBelow(child))]);
}

/** An element with its place in the tree, so that a failure can be read. */
function outline(element: Element): string {
  const place = element.parent?.children.indexOf(element);
  const { parent } = element;
  return `${parent !== null && 'name' in parent ? `${outline(parent)} ` : ''}${element.name}:${place}`;
}
