import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { CookieJar } from '../session/cookie-jar.ts';
import { type BrowserCookie, cookieChanges, cookiesOf, setCookieField } from './browser-cookie.ts';

const COOKIE: BrowserCookie = {
  name: 'sid',
  value: '7',
  domain: 'court.example',
  path: '/',
  expires: undefined,
  secure: false,
  httpOnly: false,
  sameSite: undefined,
};
const NOW = systemClock.now();

/** What a jar holds after it took these. */
function throughJar(cookies: readonly BrowserCookie[]): readonly BrowserCookie[] {
  const jar = new CookieJar();
  for (const cookie of cookies) {
    const { url, value } = setCookieField(cookie);
    jar.take(url, [['Set-Cookie', value]]);
  }
  const saved = jar.save();
  return saved === undefined ? [] : cookiesOf(saved, NOW);
}

describe('a cookie', () => {
  it.each<Partial<BrowserCookie>>([
    {},
    { domain: '.court.example', secure: true, httpOnly: true, sameSite: 'none' },
    { path: '/case', sameSite: 'strict' },
    { expires: Math.ceil(NOW / 1000) * 1000 + 60_000, sameSite: 'lax' },
    { value: '' },
    { domain: '127.0.0.1' },
  ])('comes out of the jar as it went in: %o', (fields) => {
    const cookie = { ...COOKIE, ...fields };
    expect(throughJar([cookie])).toEqual([cookie]);
  });

  it('is removed from the jar by an expiry in the past', () => {
    expect(throughJar([COOKIE, { ...COOKIE, value: '', expires: 0 }])).toEqual([]);
  });

  it('with a Max-Age expires that long after it was set', () => {
    const jar = new CookieJar();
    jar.take(new URL('http://court.example/'), [['Set-Cookie', 'a=1; Max-Age=600']]);
    const saved = jar.save();
    if (saved === undefined) throw new Error('nothing was saved');
    const [cookie] = cookiesOf(saved, NOW);
    expect(cookie?.expires).toBeGreaterThanOrEqual(NOW + 599_000);
    expect(cookiesOf(saved, NOW + 700_000)).toEqual([]);
  });
});

describe('the changes between two states', () => {
  const cookies = fc.uniqueArray(
    fc.record<BrowserCookie>({
      name: fc.constantFrom('a', 'b', 'c'),
      value: fc.constantFrom('1', '2'),
      domain: fc.constantFrom('x.example', '.x.example'),
      path: fc.constantFrom('/', '/p'),
      expires: fc.constant(undefined),
      secure: fc.boolean(),
      httpOnly: fc.boolean(),
      sameSite: fc.constant(undefined),
    }),
    { selector: identity },
  );

  it('turn the one into the other, and leave what both have alone', () => {
    fc.assert(
      fc.property(cookies, cookies, (before, after) => {
        const state = new Map(before.map((cookie) => [identity(cookie), cookie]));
        for (const change of cookieChanges(before, after)) {
          expect(before).not.toContainEqual(change);
          if (change.expires === 0) state.delete(identity(change));
          else state.set(identity(change), change);
        }
        expect(new Set(state.values())).toEqual(new Set(after));
      }),
    );
  });
});

function identity({ name, domain, path }: BrowserCookie): string {
  return `${name} ${domain} ${path}`;
}
