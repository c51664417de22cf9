import { describe, expect, it } from 'vitest';
import type { HeaderList } from '../outcome.ts';
import { CookieJar } from './cookie-jar.ts';

const court = new URL('https://www.court.co.uk/case/1');
const setting = (...lines: string[]): HeaderList => lines.map((line) => ['Set-Cookie', line]);

describe('CookieJar', () => {
  it('sends back what the site set, on the paths and hosts it is for', () => {
    const jar = new CookieJar();
    expect(jar.take(court, setting('sid=1; Path=/', 'step=2; Path=/case', 'all=3; Domain=court.co.uk; Path=/'))).toBe(
      true,
    );
    expect(jar.headerFor(court)).toBe('step=2; sid=1; all=3');
    expect(jar.headerFor(new URL('https://www.court.co.uk/'))).toBe('sid=1; all=3');
    expect(jar.headerFor(new URL('https://court.co.uk/'))).toBe('all=3');
    expect(jar.headerFor(new URL('https://other.example/'))).toBeUndefined();
  });

  it('reads Set-Cookie in any case and ignores other headers', () => {
    const jar = new CookieJar();
    jar.take(court, [
      ['set-cookie', 'a=1'],
      ['SET-COOKIE', 'b=2'],
      ['Cookie', 'c=3'],
    ]);
    expect(jar.headerFor(court)).toBe('a=1; b=2');
  });

  it.each([
    ['a public suffix', 'a=1; Domain=co.uk'],
    ['another host', 'a=1; Domain=other.example'],
    ['a prefix that is not kept', '__Host-a=1; Domain=court.co.uk; Path=/'],
    ['an endless value', `a=${'x'.repeat(5000)}`],
    ['nothing', ''],
  ])('refuses a cookie with %s', (_what, line) => {
    const jar = new CookieJar();
    jar.take(court, setting(line));
    expect(jar.headerFor(court)).toBeUndefined();
  });

  it('keeps a secure cookie off plain http', () => {
    const jar = new CookieJar();
    jar.take(court, setting('sid=1; Secure'));
    expect(jar.headerFor(new URL('http://www.court.co.uk/case/2'))).toBeUndefined();
  });

  it('forgets a cookie that the site expires', () => {
    const jar = new CookieJar();
    jar.take(court, setting('sid=1'));
    jar.take(court, setting('sid=; Max-Age=0'));
    expect(jar.headerFor(court)).toBeUndefined();
  });

  it('has nothing to send or save before a cookie is set', () => {
    const jar = new CookieJar();
    expect(jar.take(court, [['Content-Type', 'text/html']])).toBe(false);
    expect([jar.headerFor(court), jar.save()]).toEqual([undefined, undefined]);
  });

  it('drops the oldest when a site sets more than 180', () => {
    const jar = new CookieJar();
    for (let index = 0; index < 200; index += 1) jar.take(court, setting(`c${index}=1`));
    const names = (jar.headerFor(court) ?? '').split('; ');
    expect(names.length).toBe(180);
    expect(names).toContain('c199=1');
    expect(names).not.toContain('c0=1');
  });

  it('is the same after being saved as JSON and restored', () => {
    const jar = new CookieJar();
    jar.take(court, setting('sid=1; Path=/; Secure; HttpOnly', 'all=3; Domain=court.co.uk; Max-Age=3600'));
    const saved = JSON.parse(JSON.stringify(jar.save()));
    expect(CookieJar.restore(saved).headerFor(court)).toBe(jar.headerFor(court));
  });
});
