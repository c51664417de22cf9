import { describe, expect, it } from 'vitest';
import type { Page } from '../scraper/page/page.ts';
import { css } from '../scraper/page/selector.ts';
import { get } from '../scraper/request.ts';
import { Scraper } from '../scraper/scraper.ts';
import { defineSite, type SiteInput } from './define-site.ts';
import { hashDefinition } from './hash-definition.ts';

class Court extends Scraper {
  baseUrl = 'https://court.example';

  *parseList(page: Page) {
    for (const link of page.links('a')) yield get(link, this.parseCase);
  }

  *parseCase(_page: Page) {}
}

class Edited extends Court {
  override *parseList(page: Page) {
    for (const link of page.links('a.case')) yield get(link, this.parseCase);
  }
}

const given = {
  domain: 'court.example',
  startPages: ['/list'],
  list: { items: 'a', next: '.next' },
  scraper: Court,
  itemStep: 'parseCase',
} as const satisfies SiteInput<Court>;

const hashOf = (changes: Partial<SiteInput<Court>> = {}) => hashDefinition(defineSite({ ...given, ...changes }));

describe('the hash of a definition', () => {
  it.each<[string, Partial<SiteInput<Court>>]>([
    ['a selector', { list: { ...given.list, items: 'a.case' } }],
    ['the kind of a selector', { list: { ...given.list, items: '//a' } }],
    ['an option', { list: { ...given.list, itemsMayRepeat: true } }],
    ['an option that is a list', { list: { ...given.list, nextOnLastPage: ['itself', 'absent'] } }],
    ['the most pages', { maxPages: 3 }],
    ['a step instead of selectors', { list: { step: 'parseList' } }],
  ])('is another one with %s', (_, changes) => {
    expect(hashOf(changes)).not.toBe(hashOf());
  });

  it.each<[string, Partial<SiteInput<Court>>]>([
    ['the same selectors written otherwise', { list: { next: css('.next'), items: css('a') } }],
    ['other start pages, since each has its own progress', { startPages: ['/list', '/other'] }],
    ['other code, where selectors read the lists', { scraper: Edited }],
    ['other proxies', { proxies: { strategy: 'datacenter', datacenter: ['http://proxy.example:1'] } }],
  ])('is the same with %s', (_, changes) => {
    expect(hashOf(changes)).toBe(hashOf());
  });

  it('is that of the code where a step reads the lists, and of the classes it extends', () => {
    const byStep = { list: { step: 'parseList' } } as const;
    class Extended extends Edited {}
    expect(hashOf({ ...byStep, scraper: Edited })).not.toBe(hashOf(byStep));
    expect(hashOf({ ...byStep, scraper: Extended })).not.toBe(hashOf({ ...byStep, scraper: Edited }));
  });
});
