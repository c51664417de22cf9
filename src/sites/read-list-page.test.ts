import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineScraper } from '../scraper/definition.ts';
import { Page } from '../scraper/page/page.ts';
import { record } from '../scraper/record.ts';
import { get, type Yielded } from '../scraper/request.ts';
import { Scraper } from '../scraper/scraper.ts';
import { defineSite, type ListInput } from './define-site.ts';
import { readListPage } from './read-list-page.ts';

class Court extends Scraper {
  baseUrl = 'https://court.example';

  *parseList(page: Page): Iterable<Yielded> {
    for (const link of page.links('.case')) yield get(link, this.parseCase);
    for (const link of page.links('.next')) yield get(link, this.parseList);
  }

  *withRecord(): Iterable<Yielded> {
    yield record('case', z.string(), 'x');
  }

  *withContext(): Iterable<Yielded> {
    yield get({ url: '/case/1', session: 'other' }, this.parseCase);
  }

  *elsewhere(): Iterable<Yielded> {
    yield get('/case/1', this.withRecord);
  }

  *parseCase(_page: Page) {}
}

function read(html: string, list: ListInput<Court>, link = '') {
  const site = defineSite({
    domain: 'court.example',
    startPages: ['/list'],
    list,
    scraper: Court,
    itemStep: 'parseCase',
  });
  const url = 'https://court.example/list?page=2';
  const headers = [
    ['Content-Type', 'text/html'],
    ['Link', link],
  ] as const;
  const page = new Page({ url, requestUrl: url, status: 200, headers, body: Buffer.from(html) });
  return readListPage(page, site, defineScraper(new Court()));
}

const PAGE = `<p class="total">21–40 of 1,240 results</p>
  <a class="case" href="/case/1">1</a> <a class="case" href="/case/2#top">2</a> <a class="case" href="/case/1">1</a>
  <a class="next" href="?page=3">next</a> <a class="next" href="/list?page=3">next</a>`;

describe('a list page', () => {
  it.each([
    ['by selectors', { items: '.case', next: '.next', total: '.total' }],
    ['by a step', { step: 'parseList', total: '.total' }],
  ] as const)('is read %s: its items each once, the next page, the total', (_, list) => {
    expect(read(PAGE, list)).toEqual({
      url: 'https://court.example/list?page=2',
      items: ['https://court.example/case/1', 'https://court.example/case/2'],
      next: { kind: 'page', url: 'https://court.example/list?page=3', text: 'step' in list ? undefined : 'next' },
      total: 1240,
      otherLinks: [],
      isMarkedEmpty: false,
    });
  });

  it('has no next page when the site names none', () => {
    expect(read(PAGE, { items: '.case' })).toMatchObject({ next: { kind: 'none' }, total: undefined });
  });

  it.each([
    ['<a class="next" href="javascript:void(0)">', 'javascript:void(0)', false],
    ['<a class="next" href=" #top ">', '#top', true],
    ['<a class="next" href>', '', true],
    ['<a class="next">', '<a class="next">', false],
    ['<span class="next">', '<span class="next">', false],
  ])('has a next link that leads nowhere: %s', (html, written, isSelf) => {
    expect(read(html, { items: '.case', next: '.next' }).next).toEqual({ kind: 'dead', written, isSelf });
  });

  it('keeps a next page that only the Link header names', () => {
    const link = '<https://court.example/list?page=1>; rel="first prev", </list?page=3>; rel="last next"';
    expect(read('<a class="case" href="/case/1">1</a>', { items: '.case' }, link).otherLinks).toEqual([
      { url: 'https://court.example/list?page=3', text: '', isNext: true },
    ]);
  });

  it.each([
    ['<form method="post"><button class="n">Next</button></form>', '<button class="n">'],
    ['<form><input type="submit" name="n" value="Next"></form>', '<input name="n">'],
    ['<a class="n" href="#" onclick="go(3)">Next</a>', '<a class="n">'],
    [`<a class="n" href="javascript:__doPostBack('p','3')">Next</a>`, '<a class="n">'],
  ])('keeps what leads on without an address: %s', (html, url) => {
    expect(read(html, { items: '.case' }).otherLinks).toEqual([{ url, text: 'Next', isNext: false }]);
  });

  it.each([
    '<a href="#">Next</a>',
    '<a href="javascript:void(0)">Next</a>',
    '<a href="#" onclick="return false">Next</a>',
    '<li class="page-item disabled"><a href="#" onclick="go(3)">Next</a></li>',
    '<a aria-disabled="true" href="#" onclick="go(3)">Next</a>',
    '<button disabled>Next</button>',
  ])('does not keep what is disabled: %s', (html) => {
    expect(read(html, { items: '.case' }).otherLinks).toEqual([]);
  });

  it('keeps its other links where it has no next page: they may lead to one', () => {
    const html = `<head><link rel="next" href="?page=3"><link rel="icon" href="/i"></head>
      <a class="case" href="/case/1">1</a><a href="?page=9">9</a><a href="mailto:x@y">x</a>`;
    expect(read(html, { items: '.case' }).otherLinks).toEqual([
      { url: 'https://court.example/list?page=3', text: '', isNext: true },
      { url: 'https://court.example/list?page=9', text: '9', isNext: false },
    ]);
  });

  it('is marked as empty by what the site declares', () => {
    const list = { items: '.case', lastPageMayBeEmpty: '.none' };
    expect(read('<p class="none">No cases</p>', list).isMarkedEmpty).toBe(true);
    expect(read('<p>Please log in</p>', list).isMarkedEmpty).toBe(false);
  });

  it.each([
    ['240 results', 240],
    ['Page 1 of 12, 240 cases', 240],
    ['1.240.511 Treffer', 1_240_511],
    ["1'240 Urteile", 1_240],
    ['1’240 Urteile', 1_240],
    ['1&nbsp;240 affaires', 1_240],
    ['1,02,000 cases', 102_000],
    ['0 results', 0],
  ])('that states "%s" has %d items', (text, total) => {
    expect(read(`<p class="total">${text}</p>`, { items: 'a', total: '.total' }).total).toBe(total);
  });

  it.each([
    [
      'two next pages',
      '<a class="next" href="?page=3">3</a><a class="next" href="?page=4">4</a>',
      { items: '.case', next: '.next' },
    ],
    ['an item without an address', '<a class="case" href="javascript:open(1)">1</a>', { items: '.case' }],
    ['a total without a number', '<p class="total">many</p>', { items: '.case', total: '.total' }],
    ['no total where one should be', '<p>240 results</p>', { items: '.case', total: '.total' }],
  ] as const)('with %s does not fit, and never passes for an empty one', (_, html, list) => {
    expect(() => read(html, list)).toThrow(expect.objectContaining({ code: 'structure' }));
  });

  it.each(['withRecord', 'withContext', 'elsewhere'] as const)(
    'cannot be read by a step that yields more: %s',
    (step) => {
      expect(() => read(PAGE, { step })).toThrow(expect.objectContaining({ code: 'step_failed' }));
    },
  );
});
