import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalUrl, isPlainPath, rootOf } from './canonical-url.ts';

describe('canonicalUrl', () => {
  it.each([
    ['HTTP://Court.Example:80/a', 'http://court.example/a'],
    ['https://court.example:443', 'https://court.example/'],
    ['http://court.example/a/../b/./c', 'http://court.example/b/c'],
    ['http://court.example/a#top', 'http://court.example/a'],
    ['http://court.example/%7euser/%c3%a9', 'http://court.example/~user/%C3%A9'],
    ['http://court.example/é', 'http://court.example/%C3%A9'],
    ['http://court.example/%41?q=%4a', 'http://court.example/A?q=J'],
  ])('gives %s its one spelling', (address, expected) => {
    expect(canonicalUrl(address)).toBe(expected);
  });

  it.each([
    ['http://court.example/a', 'http://court.example/a/'],
    ['http://court.example/a', 'http://court.example/A'],
    ['http://court.example/?a=1&b=2', 'http://court.example/?b=2&a=1'],
    ['http://court.example/a', 'http://court.example/a?'],
    ['http://court.example/a%2Fb', 'http://court.example/a/b'],
    ['http://court.example/?q=a+b', 'http://court.example/?q=a%20b'],
    ['http://court.example/?a=1', 'http://court.example/?a=1&a=1'],
    ['http://court.example/', 'https://court.example/'],
    ['http://court.example/', 'http://court.example:8080/'],
    ['http://user@court.example/', 'http://court.example/'],
  ])('keeps %s and %s apart', (one, other) => {
    expect(canonicalUrl(one)).not.toBe(canonicalUrl(other));
  });

  it('resolves against a base', () => {
    expect(canonicalUrl('../x?y', 'http://court.example/a/b/c')).toBe('http://court.example/a/x?y');
  });

  it.each(['', 'no address', 'mailto:a@b', 'javascript:alert(1)', 'file:///etc/passwd'])('refuses %j', (address) => {
    expect(() => canonicalUrl(address)).toThrow(/not an address|Only http/);
  });

  it('changes nothing the second time, and never the decoded path or query', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (address) => {
        const once = canonicalUrl(address);
        expect(canonicalUrl(once)).toBe(once);
        const [before, after] = [new URL(address), new URL(once)];
        expect(after.origin).toBe(before.origin);
        expect(decodeQuery(after.search)).toEqual(decodeQuery(before.search));
        expect(decodeURIComponent(after.pathname)).toBe(decodeURIComponent(before.pathname));
      }),
    );
  });
});

function decodeQuery(search: string): [string, string][] {
  return [...new URLSearchParams(search)];
}

describe('an address that could not be spelt otherwise', () => {
  const characters = [...'/?.-_~=&+,;:@!$*()%#\'" <>|^`{}[]\\aZ0é'];
  const paths = fc.array(fc.constantFrom(...characters), { maxLength: 12 }).map((chars) => `/${chars.join('')}`);
  const roots = fc.constantFrom(
    'https://court.example',
    'HTTP://Court.Example:80',
    'https://u:p@court.example:8443',
    'http://127.1',
    'http://[::1]:81',
  );

  it('is one that the parser leaves alone', () => {
    fc.assert(
      fc.property(roots, paths, (root, path) => {
        fc.pre(isPlainPath(path));
        expect(new URL(path, root).href).toBe(`${rootOf(root)}${path}`);
      }),
      { numRuns: 5_000 },
    );
  });

  it('has the root of its own site, whatever was asked for before', () => {
    const bases = fc
      .tuple(fc.oneof(roots, fc.constantFrom('file://', 'file:///C:')), paths)
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(bases, bases, (before, base) => {
        rootOf(before);
        expect(rootOf(base)).toBe(URL.parse('/', base)?.href.slice(0, -1));
      }),
      { numRuns: 2_000 },
    );
  });

  it('comes out as it would by parsing, whatever it is relative to', () => {
    fc.assert(
      fc.property(roots, roots, paths, (base, root, path) => {
        fc.pre(URL.canParse(`${root}${path}`));
        expect(canonicalUrl(`${root}${path}`, `${base}/x/y?z`)).toBe(canonicalUrl(`${root}${path}`));
      }),
      { numRuns: 5_000 },
    );
  });
});
