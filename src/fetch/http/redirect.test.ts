import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HeaderList } from '../outcome.ts';
import { decideRedirect, hopKey, MOST_REDIRECTS, type RedirectQuestion } from './redirect.ts';

function decide(location: string | undefined, rest: Partial<RedirectQuestion> = {}) {
  return decideRedirect({
    status: 302,
    responseHeaders: location === undefined ? [] : [['Location', location]],
    url: new URL('https://court.example/a/b?c=1'),
    method: 'GET',
    requestHeaders: [],
    followed: 0,
    ...rest,
  });
}
const target = (location: string) => {
  const decision = decide(location);
  return decision.kind === 'follow' ? decision.url.href : decision.kind;
};

describe('decideRedirect', () => {
  it.each([
    ['/x', 'https://court.example/x'],
    ['x', 'https://court.example/a/x'],
    ['?d=2', 'https://court.example/a/b?d=2'],
    ['//other.example/y', 'https://other.example/y'],
    ['http://court.example/plain', 'http://court.example/plain'],
    ['  /spaces  ', 'https://court.example/spaces'],
    ['/x#part', 'https://court.example/x'],
    ['https://user:secret@court.example/x', 'https://court.example/x'],
    ['/b\u00c3\u00bccher', 'https://court.example/b%C3%BCcher'],
    ['/b\u00fccher', 'https://court.example/b%C3%BCcher'],
    ['http://2130706433/', 'http://127.0.0.1/'],
  ])('reads the Location %s', (location, href) => {
    expect(target(location)).toBe(href);
  });

  it.each([
    ['file:///etc/passwd', 'file:'],
    ['data:text/html,hi', 'data:'],
    ['javascript:alert(1)', 'javascript:'],
    ['ftp://court.example/', 'ftp:'],
    ['gopher://court.example/', 'gopher:'],
  ])('refuses to go to %s', (location, scheme) => {
    expect(decide(location)).toEqual({ kind: 'refused', reason: expect.stringContaining(scheme) });
  });

  it.each([undefined, '', '   ', 'http://', 'https://exa mple/', 'http://[::1'])(
    'refuses the Location "%s"',
    (location) => {
      expect(decide(location)).toMatchObject({ kind: 'refused' });
    },
  );

  it.each([200, 300, 304, 305, 306, 404])('lets the status %i stand for itself', (status) => {
    expect(decide('/x', { status })).toEqual({ kind: 'none' });
  });

  it.each([
    [301, 'GET', 'GET', true],
    [302, 'GET', 'GET', true],
    [303, 'GET', 'GET', true],
    [301, 'POST', 'GET', false],
    [302, 'POST', 'GET', false],
    [303, 'POST', 'GET', false],
    [307, 'POST', 'POST', true],
    [308, 'POST', 'POST', true],
    [301, 'PUT', 'PUT', true],
    [303, 'PUT', 'GET', false],
    [303, 'HEAD', 'HEAD', true],
  ])('answers %i to %s with %s', (status, method, next, keepsBody) => {
    expect(decide('/x', { status, method })).toMatchObject({ kind: 'follow', method: next, keepsBody });
  });

  const headers: HeaderList = [
    ['Authorization', 'Basic secret'],
    ['COOKIE', 'sid=secret'],
    ['Content-Type', 'text/plain'],
    ['Accept', 'text/html'],
  ];
  const names = (location: string, rest: Partial<RedirectQuestion> = {}) => {
    const decision = decide(location, { requestHeaders: headers, ...rest });
    return decision.kind === 'follow' ? decision.headers.map(([name]) => name) : [];
  };

  it('keeps credentials within the origin', () => {
    expect(names('/x')).toEqual(['Authorization', 'COOKIE', 'Content-Type', 'Accept']);
  });

  it.each([
    'https://other.example/',
    'http://court.example/',
    'https://court.example:8443/',
    'https://sub.court.example/',
  ])('drops credentials on the way to %s', (location) => {
    expect(names(location)).toEqual(['Content-Type', 'Accept']);
  });

  const credentials = [
    ...['X-Api-Key', 'apikey', 'X-Auth-Token', 'Client-Secret', 'X-Session', 'Proxy-Authorization', 'X-Auth-Key'],
    ...['X-Access-Key', 'Ocp-Apim-Subscription-Key', 'X-Functions-Key', 'X-Key', 'X-Session-Id', 'X-Access-Token-Id'],
    ...['X-Signature-Ed25519', 'X-Password', 'X-JWT', 'X-Credentials', 'X-Auth-User', 'X-What-Nobody-Knows'],
  ];
  it.each(credentials)('takes %s for a credential', (name) => {
    const requestHeaders = [[name, 'x']] as const;
    const decided = (location: string) => decide(location, { requestHeaders });
    expect(decided('/x')).toMatchObject({ headers: requestHeaders });
    expect(decided('https://other.example/')).toMatchObject({ headers: [] });
  });

  it.each(['Accept-Language', 'user-agent', 'Range', 'X-Requested-With', 'Cache-Control'])(
    'lets %s go along to another origin',
    (name) => {
      const requestHeaders = [[name, 'x']] as const;
      expect(decide('https://other.example/', { requestHeaders })).toMatchObject({ headers: requestHeaders });
    },
  );

  it.each([
    ['https://court.example/secret/page?key=1', [['Referer', 'https://court.example/']]],
    ['about:blank', []],
    ['no URL', []],
  ] as const)('tells another origin of the referrer %s only where it was', (value, headers) => {
    const requestHeaders = [['Referer', value]] as const;
    expect(decide('/x', { requestHeaders })).toMatchObject({ headers: requestHeaders });
    expect(decide('https://other.example/', { requestHeaders })).toMatchObject({ headers });
  });

  it('drops what describes the body together with the body', () => {
    expect(names('/x', { method: 'POST' })).toEqual(['Authorization', 'COOKIE', 'Accept']);
  });

  it(`follows ${MOST_REDIRECTS} redirects and not one more, of a chain of 21`, () => {
    const kinds = Array.from({ length: 21 }, (_, followed) => decide('/next', { followed }).kind);
    expect(kinds.indexOf('refused')).toBe(MOST_REDIRECTS);
    expect(new Set(kinds.slice(MOST_REDIRECTS))).toEqual(new Set(['refused']));
  });

  it('never throws and never leaves http and https, whatever the Location', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.string()), (location) => {
        const decision = decide(location);
        if (decision.kind === 'follow') expect(decision.url.protocol).toMatch(/^https?:$/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('hopKey', () => {
  it('is the same only for the same method, URL and cookies', () => {
    const url = new URL('https://court.example/');
    expect(hopKey('GET', url, undefined)).toBe(hopKey('GET', new URL(url), undefined));
    expect(hopKey('GET', url, 'sid=1')).not.toBe(hopKey('GET', url, undefined));
    expect(hopKey('POST', url, undefined)).not.toBe(hopKey('GET', url, undefined));
  });
});
