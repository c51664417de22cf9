import { describe, expect, it } from 'vitest';
import { get } from '../request.ts';
import { samplePage, sampleXml } from './sample-page.ts';

const urls = (html: string, selector = 'a') =>
  samplePage(html)
    .links(selector)
    .map((link) => link.url);

describe('links', () => {
  it.each([
    ['case/1', 'https://court.example/list/case/1'],
    ['/case/1', 'https://court.example/case/1'],
    ['../case/./1', 'https://court.example/case/1'],
    ['?page=2', 'https://court.example/list/?page=2'],
    ['#top', 'https://court.example/list/#top'],
    ['', 'https://court.example/list/'],
    ['//files.example/a.pdf', 'https://files.example/a.pdf'],
    ['HTTP://OTHER.example:80', 'http://other.example/'],
    ['  /a\n/b\t ', 'https://court.example/a/b'],
    ['/a b/é?q=ü', 'https://court.example/a%20b/%C3%A9?q=%C3%BC'],
    ['/q?a=1&amp;b=2&copy=3', 'https://court.example/q?a=1&b=2&copy=3'],
  ])('lead from %j to %s', (href, expected) => {
    expect(urls(`<a href="${href}">x</a>`)).toEqual([expected]);
  });

  it('are relative to <base>, the first that has an href', () => {
    const html = '<base target=x><base href="/archive/2026/"><base href="/no/"><a href="1">1</a><a href="?x">2</a>';
    expect(urls(html)).toEqual(['https://court.example/archive/2026/1', 'https://court.example/archive/2026/?x']);
    expect(samplePage(html).absolute('y')).toBe('https://court.example/archive/2026/y');
  });

  it.each(['http://[', 'data:text/html,x', 'javascript:0'])('pass over a <base> such as %s', (base) => {
    expect(urls(`<base href="${base}"><a href="1">1</a>`)).toEqual(['https://court.example/list/1']);
  });

  it('are relative to the final URL, not to the one that was asked for', () => {
    const page = samplePage('<a href="x">', { url: 'https://b.example/new/', requestUrl: 'https://a.example/old' });
    expect(page.link('a').url).toBe('https://b.example/new/x');
  });

  it('have a text and an element', () => {
    const link = samplePage('<a href=/1 class=pdf> Judgment\n <b>No. 1</b></a>').link('a');
    expect(link.text).toBe('Judgment No. 1');
    expect(link.element.attribute('class')).toBe('pdf');
  });

  it('can be attributes', () => {
    const page = samplePage('<a href=/1>One</a><div data-url="/2">Two</div><a href=/3>Three</a>');
    expect(page.links('//a/@href | //div/@data-url').map((link) => [link.url, link.text])).toEqual([
      ['https://court.example/1', 'One'],
      ['https://court.example/2', 'Two'],
      ['https://court.example/3', 'Three'],
    ]);
  });

  it('can be images, frames and the like', () => {
    const html =
      '<area href=/1><link href=/2><img src=/3><iframe src=/4></iframe><object data=/5></object><embed src=/6>';
    expect(urls(html, '*').map((url) => url.at(-1))).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  it('leave out what cannot be fetched before they are counted', () => {
    const page = samplePage(
      '<a href="javascript:void(0)">a</a><a href="mailto:x@y">b</a><a href="tel:1">c</a><a href="data:,x">d</a><a name=e>e</a><a href="/f">f</a>',
    );
    expect(page.links('a', { atLeast: 1, atMost: 1 })).toHaveLength(1);
    expect(page.link('a').url).toBe('https://court.example/f');
    expect(() => page.links('a', { atLeast: 2 })).toThrow(
      '`a` matches 6 times, of which 1 can be fetched, instead of at least 2',
    );
  });

  it('report an address that is none', () => {
    expect(() => samplePage('<a href="http://[bad">x</a>').links('a')).toThrow(
      expect.objectContaining({ code: 'structure', selector: 'a', actual: 'http://[bad' }),
    );
  });

  it('report an element that never has an address', () => {
    expect(() => samplePage('<td class=t><a href=/1>x</a></td>').links('.t')).toThrow(
      expect.objectContaining({ code: 'structure', actual: '<td>', remedy: expect.stringContaining('`.t a`') }),
    );
  });

  it('of feeds and sitemaps are texts or attributes', () => {
    const feed = sampleXml(
      '<feed><link href="/atom/1"/><item><link>\n https://court.example/rss/2 </link></item><loc>https://court.example/3</loc></feed>',
    );
    expect(feed.links('link, loc').map((link) => link.url)).toEqual([
      'https://court.example/atom/1',
      'https://court.example/rss/2',
      'https://court.example/3',
    ]);
    expect(feed.link('//loc/text()').element.tag).toBe('loc');
  });

  it('can be given to get', () => {
    expect(get(samplePage('<a href=/1>').link('a')).url).toBe('https://court.example/1');
  });
});

describe('absolute', () => {
  it('refuses what is no address', () => {
    expect(() => samplePage('').absolute('http://[')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
