import { describe, expect, it } from 'vitest';
import { type CaseList, CaseLists, defaultLists } from './case-lists.ts';
import { Docket } from './docket.ts';

const docket = new Docket({ highest: 500 });

/** What a reader of one page sees. */
function read(html: string | undefined) {
  const page = html ?? '';
  return {
    total: Number(/class="total">(\d+) results/.exec(page)?.[1]),
    ids: [...page.matchAll(/<td><a href="\/case\/(\d+)"/g)].map((match) => Number(match[1])),
    next: /class="next" rel="next" href="([^"]+)"/.exec(page)?.[1],
  };
}

function walk(lists: CaseLists, name: string, pages: number) {
  return Array.from({ length: pages }, (_, index) => read(lists.page(name, index + 1)));
}

function listOf(list: Partial<CaseList>): CaseLists {
  const cases = Array.from({ length: 50 }, (_, index) => index + 1);
  return new CaseLists(docket, [{ name: 'all', cases, ...list }]);
}

describe('CaseLists', () => {
  it('has by default 12 pages of 20 for each division, and the stated total is true', () => {
    const lists = new CaseLists(docket, defaultLists(docket));
    expect(lists.names()).toEqual(['civil', 'criminal']);
    for (const name of lists.names()) {
      const pages = walk(lists, name, 12);
      expect(pages.map(({ ids }) => ids.length)).toEqual(Array(12).fill(20));
      expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([240]));
      expect(pages.flatMap(({ ids }) => ids)).toEqual(lists.cases(name));
      expect(pages.map(({ next }) => next)).toEqual([
        ...Array.from({ length: 11 }, (_, index) => `/list/${name}?page=${index + 2}`),
        undefined,
      ]);
    }
  });

  it('knows no other list', () => {
    expect(listOf({}).page('other', 1)).toBeUndefined();
  });

  it('says so when a list is empty, without a table', () => {
    const html = listOf({ cases: [] }).page('all', 1);
    expect(html).toContain('No cases found.');
    expect(html).not.toContain('<table');
    expect(read(html)).toEqual({ total: 0, ids: [], next: undefined });
  });

  it('can lie about its total', () => {
    const lists = listOf({ quirks: [{ kind: 'total', stated: 240 }] });
    expect(walk(lists, 'all', 3).map(({ total, ids }) => [total, ids.length])).toEqual([
      [240, 20],
      [240, 20],
      [240, 10],
    ]);
  });

  it('can lead in a loop', () => {
    const lists = listOf({ quirks: [{ kind: 'loop', from: 3, to: 1 }] });
    expect(walk(lists, 'all', 3).map(({ next }) => next)).toEqual([2, 3, 1].map((page) => `/list/all?page=${page}`));
  });

  it('can shift between two pages, so that one case is seen twice and the new one is missed', () => {
    const lists = listOf({ quirks: [{ kind: 'insert', afterRequests: 1, id: 77 }] });
    const seen = walk(lists, 'all', 3).flatMap(({ ids }) => ids);
    expect(seen.filter((id, index) => seen.indexOf(id) !== index)).toEqual([20]);
    expect(seen).not.toContain(77);
    expect(read(lists.page('all', 1)).ids[0]).toBe(77);
  });

  it('can be mended', () => {
    const lists = listOf({ cases: [] });
    lists.set({ name: 'all', cases: [4, 2] });
    expect(read(lists.page('all', 1)).ids).toEqual([4, 2]);
  });
});
