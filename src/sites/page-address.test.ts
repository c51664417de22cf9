import { describe, expect, it } from 'vitest';
import { findFurtherPages, isSamePage, type PagePlace, tellingText } from './page-address.ts';

const at = (path: string) => `https://court.example${path}`;

describe('an answer is the page that was asked for', () => {
  it.each([
    ['/list?page=7', 'http://www.court.example/list/?page=7'],
    ['/list?page=7', at('/list?lang=en&page=7')],
    ['/list;sid=1?page=7', at('/list;sid=2?page=7')],
    ['/list/7', at('/list/7?session=x')],
  ])('%s as %s', (asked, landed) => expect(isSamePage(at(asked), landed)).toBe(true));

  it.each([
    ['/list?page=7', at('/list')],
    ['/list?page=7', at('/list?page=1')],
    ['/list?page=7', at('/list?page=77')],
    ['/list?page=7', at('/login?page=7')],
    ['/list/7', at('/list/1')],
    ['/list?page=7', 'https://sso.example/list?page=7'],
  ])('but not %s as %s', (asked, landed) => expect(isSamePage(at(asked), landed)).toBe(false));
});

describe('further pages', () => {
  const further = (paths: readonly string[], place: Partial<PagePlace>) =>
    findFurtherPages(
      paths.map((path) => ({ url: at(path), text: 'x', isNext: false })),
      { url: at('/list?page=7'), previousUrl: at('/list?page=6'), nextText: undefined, ...place },
    );

  it.each<[string, string[], Partial<PagePlace>]>([
    ['a higher page number', ['/list?page=8'], {}],
    ['a far page number', ['/list?page=120'], {}],
    [
      'a higher offset',
      ['/list?year=2024&from=80'],
      { url: at('/list?year=2024&from=70'), previousUrl: at('/list?year=2024&from=60') },
    ],
    ['a lower number where the list counts down', ['/list?page=6'], { previousUrl: at('/list?page=8') }],
    ['a number in the path', ['/cases/p/8/'], { url: at('/cases/p/7/'), previousUrl: at('/cases/p/6/') }],
    ['a page number where the first page has none', ['/list?page=2'], { url: at('/list'), previousUrl: undefined }],
    ['a path with a page number, likewise', ['/list/page/2'], { url: at('/list'), previousUrl: undefined }],
    ['a page number on the second page', ['/list?page=3'], { url: at('/list?page=2'), previousUrl: at('/list') }],
  ])('are told by %s', (_, paths, place) => expect(further(paths, place)).toEqual(paths.map(at)));

  it.each<[string, string[], Partial<PagePlace>]>([
    ['lower numbers and the page itself', ['/list?page=1', '/list?page=6', '/list?page=7'], {}],
    ['other lists', ['/other?page=8', '/list?page=8&sort=2', '/about'], {}],
    [
      'other numbers of the address',
      ['/list?year=2025&page=7'],
      { url: at('/list?year=2024&page=7'), previousUrl: at('/list?year=2024&page=6') },
    ],
    ['years of a list of one page', ['/list/2025'], { url: at('/list/2024'), previousUrl: undefined }],
    ['other sizes of a page', ['/list?per_page=50'], { url: at('/list'), previousUrl: undefined }],
    [
      'other sizes of a page with a size',
      ['/list?items_per_page=50'],
      { url: at('/list?items_per_page=10'), previousUrl: undefined },
    ],
    ['newer pages of a list that counts down', ['/list?page=9'], { previousUrl: at('/list?page=8') }],
    ['page 1 of a list whose first page has no number', ['/list?page=1'], { url: at('/list'), previousUrl: undefined }],
  ])('are not %s', (_, paths, place) => expect(further(paths, place)).toEqual([]));

  it('are told by rel=next, and by the text of the next link before', () => {
    const place = { url: at('/list?c=a'), previousUrl: at('/list'), nextText: 'Next ›' };
    const links = [
      { url: at('/list?c=b'), text: 'more', isNext: true },
      { url: at('/list?c=c'), text: 'next ›', isNext: false },
      { url: at('/list?c=d'), text: 'Previous', isNext: false },
    ];
    expect(findFurtherPages(links, place)).toEqual([at('/list?c=b'), at('/list?c=c')]);
    expect(findFurtherPages(links.slice(1), { ...place, nextText: undefined })).toEqual([]);
  });

  it.each(['NEXT', 'Next »', '› next', 'Next page'])('are told by a text that only looks different: %s', (text) => {
    const place = { url: at('/list?c=a'), previousUrl: at('/list'), nextText: 'Next ›' };
    expect(findFurtherPages([{ url: at('/list?c=b'), text, isNext: false }], place)).toEqual([at('/list?c=b')]);
  });

  it('are not told by a text that another link of the page has too', () => {
    const calendar = { url: at('/calendar?month=12'), text: 'Next', isNext: false };
    expect(tellingText('next ›', [calendar])).toBeUndefined();
    expect(tellingText('next ›', [{ ...calendar, text: 'December' }])).toBe('next ›');
  });
});
