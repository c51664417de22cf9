import { describe, expect, it } from 'vitest';
import type { Page } from '../scraper/page/page.ts';
import { get } from '../scraper/request.ts';
import { Scraper } from '../scraper/scraper.ts';
import { defineSite, type SiteInput } from './define-site.ts';

class Court extends Scraper {
  baseUrl = 'https://court.example';

  *parseList(page: Page) {
    for (const link of page.links('a')) yield get(link, this.parseCase);
  }

  *parseCase(_page: Page) {}

  notAStep() {
    return [];
  }
}

const good = {
  domain: 'court.example',
  startPages: ['/list'],
  list: { items: 'table.cases a', next: '//a[@rel="next"]' },
  scraper: Court,
  itemStep: 'parseCase',
} as const satisfies SiteInput<Court>;

function* years() {
  for (let year = 2024; year <= 2026; year++) yield `/list/${year}`;
}

function* endless() {
  for (;;) yield '/list';
}

describe('a site', () => {
  it.each([
    ['a generator function', years],
    ['a generator', years()],
    ['a set', new Set(years())],
    ['a function that gives a list', () => [...years()]],
  ])('takes start pages from %s', (_, startPages) => {
    const site = defineSite({ ...good, startPages });
    expect(site.startPages).toEqual(['/list/2024', '/list/2025', '/list/2026']);
  });

  it('is what was declared, with no proxies unless some are named', () => {
    expect(defineSite(good)).toEqual({ kind: 'site', ...good, proxies: { strategy: 'none' } });
    expect(defineSite({ ...good, list: { step: 'parseList', total: '.total' } })).toMatchObject({
      list: { step: 'parseList', total: '.total' },
    });
  });

  it.each([
    ['domain', { domain: 'https://court.example/' }],
    ['startPages', { startPages: [] }],
    ['list', { list: { next: 'a' } }],
    ['list', { list: { items: 'a', step: 'parseList' } }],
    ['list.items', { list: { items: 'table[' } }],
    ['list.total', { list: { items: 'a', total: '//[' } }],
    ['list.step', { list: { step: 'parseLists' } }],
    ['list', { list: { items: 'a', nextOnLastPage: 'last' } }],
    ['list', { list: { items: 'a', nextOnLastPage: [] } }],
    ['list', { list: { items: 'a', recheck: 'twice' } }],
    ['list.lastPageMayBeEmpty', { list: { items: 'a', lastPageMayBeEmpty: 'p[' } }],
    ['startPages', { startPages: '/list' }],
    ['startPages', { startPages: () => [] }],
    ['startPages', { startPages: [7] }],
    ['startPages', { startPages: endless }],
    ['scraper', { scraper: class {} }],
    ['itemStep: Court has no step named parse, but parseList, parseCase', { itemStep: 'parse' }],
    ['itemStep', { itemStep: 'notAStep' }],
    ['maxPages', { maxPages: 0 }],
    ['proxies', { proxies: { strategy: 'datacentre' } }],
    ['proxies.datacenter', { proxies: { strategy: 'datacenter', datacenter: [] } }],
    [
      'proxies.cooldownMinutes',
      { proxies: { strategy: 'datacenter', datacenter: ['http://a:1'], cooldownMinutes: 0 } },
    ],
    ['proxies.geo', { proxies: { strategy: 'datacenter', datacenter: ['http://me-{geo}:x@a:1'] } }],
    ['unheardOf', { unheardOf: 1 }],
  ])('is refused, naming %s', (field, wrong) => {
    const input = { ...good, ...wrong } as unknown as SiteInput<Court>;
    expect(() => defineSite(input)).toThrow(
      expect.objectContaining({ code: 'site_file', message: expect.stringContaining(field) }),
    );
  });

  it('names steps that there are, which the compiler checks too', () => {
    // @ts-expect-error Court has no such step.
    expect(() => defineSite({ ...good, itemStep: 'parse' })).toThrow('itemStep');
    // @ts-expect-error An entry of the scraper is no step.
    expect(() => defineSite({ ...good, list: { step: 'baseUrl' } })).toThrow('list.step');
  });

  it('is refused for a proxy that is none, without repeating its password', () => {
    const proxies = { strategy: 'datacenter', datacenter: ['ftp://me:s3cret@proxy.example'] } as const;
    expect(() => defineSite({ ...good, proxies })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('s3cret') }),
    );
  });
});
