import { describe, expect, it } from 'vitest';
import { CurlewError } from '../../platform/errors.ts';
import { samplePage } from './sample-page.ts';
import type { Element } from './scope.ts';
import { css, xpath } from './selector.ts';
import { StructureError } from './structure-error.ts';

const DOCKET = `<!DOCTYPE html><html><head><title>Docket</title></head><body>
  <h1 id="head">Grand  Court</h1>
  <table class="cases"><tr class="case"><td class="no">FSD 1</td><td><a href="/1" title="One">First</a></td></tr>
  <tr class="case sealed"><td class="no">FSD 2</td><td><a href="/2">Second</a> <span>sealed</span></td></tr></table>
  <dl><dt>Judge</dt><dd>Smith</dd><dt>Filed</dt><dd>2026</dd></dl>
  <table class="footer"><tr><td>x</td></tr></table></body></html>`;
const page = samplePage(DOCKET, { archivedAs: 'segment-7.warc.gz@1234' });

function errorOf(read: () => unknown): StructureError {
  try {
    read();
  } catch (error) {
    if (error instanceof StructureError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('reading what is there', () => {
  it.each<[string, () => unknown, unknown]>([
    ['one element', () => page.one('h1').tag, 'h1'],
    ['an element that may be missing', () => page.maybe('span')?.text(), 'sealed'],
    ['a missing one', () => page.maybe('h2'), undefined],
    ['all elements', () => page.all('tr.case').length, 2],
    ['none of many', () => page.all('h2'), []],
    ['a text', () => page.text('h1'), 'Grand Court'],
    ['texts in document order', () => page.texts('dd, h1, td.no'), ['Grand Court', 'FSD 1', 'FSD 2', 'Smith', '2026']],
    ['the bare text', () => page.rawText('h1'), 'Grand  Court'],
    ['an attribute', () => page.attr('h1', 'id'), 'head'],
    ['an XPath text', () => page.text('//dt[.="Judge"]/following-sibling::dd[1]'), 'Smith'],
    ['XPath attributes', () => page.texts('//a/@href'), ['/1', '/2']],
    ['XPath text nodes', () => page.texts('//dd/text()'), ['Smith', '2026']],
    ['XPath in brackets', () => page.text('(//td)[last()]'), 'x'],
    ['marked XPath', () => page.text(xpath('descendant::h1')), 'Grand Court'],
    ['marked CSS', () => page.text(css('h1')), 'Grand Court'],
    ['a number', () => page.xpath('count(//tr)'), 3],
    ['a truth', () => page.xpath('boolean(//h2)'), false],
    ['a string', () => page.xpath('normalize-space(//h1)'), 'Grand Court'],
  ])('gives %s', (_, read, expected) => {
    expect(read()).toEqual(expected);
  });

  it('gives elements by XPath', () => {
    expect((page.xpath('//dt') as Element[]).map((element) => element.text())).toEqual(['Judge', 'Filed']);
    expect(page.all('//tr[td/@class="no"]').map((row) => row.text('td.no'))).toEqual(['FSD 1', 'FSD 2']);
  });

  it('keeps within bounds', () => {
    expect(page.texts('dt', { atLeast: 2, atMost: 2 })).toEqual(['Judge', 'Filed']);
    expect(page.all('h2', { atMost: 0 })).toEqual([]);
  });

  it('does not take the content of templates for the page', () => {
    const withTemplate = samplePage('<template><b>1</b></template><b>2</b>');
    expect(withTemplate.texts('b')).toEqual(['2']);
    expect(withTemplate.one('template').texts('b')).toEqual(['1']);
  });
});

describe('an element', () => {
  const [first, second] = page.all('tr.case', { atLeast: 2 });

  it('is read like a page, but only below it', () => {
    expect(first?.text('a')).toBe('First');
    expect(second?.text('./td[2]/span')).toBe('sealed');
    expect(first?.maybe('span')).toBeUndefined();
    expect(first?.text()).toBe('FSD 1 First');
    expect(first?.text('../tr[2]/td[1]')).toBe('FSD 2');
  });

  it('does not match selectors by what lies around it', () => {
    expect(first?.all('table a')).toEqual([]);
    expect(first?.all('tr td')).toEqual([]);
    expect(page.one('table.cases').all('tr td.no')).toHaveLength(2);
  });

  it('can be the scope of a selector', () => {
    expect(first?.all(':scope > td')).toHaveLength(2);
    expect(page.one('table.cases').all('> tr > td > a')).toHaveLength(2);
    expect(first?.all('> a')).toEqual([]);
    expect(first?.all('td:not(.no)')).toHaveLength(1);
    expect(first?.all('td:has(a)')).toHaveLength(1);
    expect(second?.all('td:has(> span)')).toHaveLength(1);
  });

  it('finds what stands beside it', () => {
    const pairs = page.all('dt').map((term) => [term.text(), term.text('+ dd')]);
    expect(pairs).toEqual([
      ['Judge', 'Smith'],
      ['Filed', '2026'],
    ]);
    expect(page.all('dt')[0]?.texts('~ dt, ~ dd')).toEqual(['Smith', 'Filed', '2026']);
    expect(page.all('dt')[1]?.all('+ dt')).toEqual([]);
  });

  it('gives the same answers again, whatever was asked of others in between', () => {
    const read = () => page.all('tr').map((row) => row.texts('td.no, td:has(a) a'));
    expect(read()).toEqual([['FSD 1', 'First'], ['FSD 2', 'Second'], []]);
    expect(read()).toEqual(read());
  });

  it('knows its own attributes', () => {
    const link = page.one('tr.case a[title]');
    expect(link.attribute('title')).toBe('One');
    expect(link.attribute('HREF')).toBe('/1');
    expect(link.attribute('class')).toBeUndefined();
  });

  it('names itself in messages', () => {
    expect(`${second}`).toBe('<tr class="case sealed">');
  });
});

describe('a page that does not fit', () => {
  it('says what was looked for, how often it is there, where, and where it is archived', () => {
    const error = errorOf(() => page.text('tr.case'));
    expect(error).toBeInstanceOf(CurlewError);
    expect(error).toMatchObject({
      code: 'structure',
      name: 'StructureError',
      selector: 'tr.case',
      expected: 'exactly 1',
      actual: '2',
      url: 'https://court.example/list/',
      archivedAs: 'segment-7.warc.gz@1234',
    });
    expect(error.message).toBe(
      '`tr.case` matches 2 times instead of exactly 1 on https://court.example/list/ (archived as segment-7.warc.gz@1234)',
    );
  });

  it.each<[string, () => unknown, string, string]>([
    ['one', () => page.one('h2'), 'exactly 1', '0'],
    ['maybe', () => page.maybe('td'), 'at most 1', '5'],
    ['all', () => page.all('h2', { atLeast: 1 }), 'at least 1', '0'],
    ['texts', () => page.texts('td', { atMost: 4 }), 'at most 4', '5'],
    ['links', () => page.links('a', { atLeast: 3, atMost: 5 }), '3 to 5', '2'],
    ['link', () => page.link('a'), 'exactly 1', '2'],
    ['attr', () => page.attr('td', 'x'), 'exactly 1', '5'],
    ['lines', () => page.lines('td'), 'exactly 1', '5'],
    ['rawText', () => page.rawText('//h2'), 'exactly 1', '0'],
    ['form', () => page.form(), 'exactly 1', '0'],
  ])('makes %s an error', (_, read, expected, actual) => {
    expect(errorOf(read)).toMatchObject({ expected, actual });
  });

  it('names the element that was searched', () => {
    const row = page.all('tr.case')[1];
    expect(errorOf(() => row?.text('h2')).message).toContain(
      'instead of exactly 1 in <tr class="case sealed"> on https://',
    );
  });

  it('says which attribute is missing', () => {
    const error = errorOf(() => page.attr('h1', 'title'));
    expect(error).toMatchObject({ selector: 'h1', expected: 'an attribute title' });
    expect(error.message).toContain('`h1` matches <h1 id="head">, which has no attribute title, on https://');
  });

  it.each([
    ['table.dockets', 'There are 2 `table`, but no `table.dockets`.'],
    ['table.cases tr.open a', 'There are 2 `table.cases tr`, but no `table.cases tr.open`.'],
    ['table.cases h3', 'There are 1 `table.cases`, but no `table.cases h3`.'],
    [
      'table.cases > tbody > tr',
      "The page's source has no <tbody>: browsers add it by themselves. Leave it out of the selector.",
    ],
    [
      '//table/tbody/tr',
      "The page's source has no <tbody>: browsers add it by themselves. Leave it out of the selector.",
    ],
  ])('hints at what is there instead of %s', (selector, hint) => {
    expect(errorOf(() => page.one(selector)).remedy).toBe(hint);
  });

  it('gives general advice where it knows nothing better', () => {
    expect(errorOf(() => page.one('h2')).remedy).toContain('archived page');
    expect(errorOf(() => page.one('//h2')).remedy).toContain('archived page');
  });
});

describe('a selector that is wrong', () => {
  it.each(['table[', 'a:nonsense', '', 'a::before', '//a[', '(//a', './/a/'])(
    '%j is named in the error',
    (selector) => {
      expect(() => page.all(selector)).toThrow(
        expect.objectContaining({
          code: 'selector_syntax',
          message: expect.stringContaining(JSON.stringify(selector)),
          remedy: expect.any(String),
        }),
      );
    },
  );

  it('because it selects no elements is told what to use instead', () => {
    for (const read of [() => page.one('//h1/@id'), () => page.all('//dd/text()'), () => page.xpath('//a/@href')]) {
      expect(read).toThrow(
        expect.objectContaining({ code: 'selector_syntax', remedy: expect.stringContaining('texts') }),
      );
    }
  });

  it('because it gives a number cannot select', () => {
    expect(() => page.all(xpath('count(//a)'))).toThrow(expect.objectContaining({ code: 'selector_syntax' }));
  });
});

describe('compiled selectors', () => {
  it('are right also when more are used than are kept', () => {
    for (let index = 0; index < 2_500; index++) expect(page.all(`h1:not(.c${index})`)).toHaveLength(1);
    expect(page.text('h1')).toBe('Grand Court');
  });
});
