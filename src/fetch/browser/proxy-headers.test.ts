import { describe, expect, it } from 'vitest';
import type { HeaderList } from '../outcome.ts';
import type { RequestKind } from './admit.ts';
import { passedOnHeaders, sentOnHeaders } from './proxy-headers.ts';

const CHROMIUMS = [
  'Host',
  'court.example',
  'User-Agent',
  'HeadlessChrome',
  'Accept',
  '*/*',
  'Proxy-Connection',
  'keep-alive',
];
const OWN: HeaderList = [
  ['user-agent', 'curlew/1'],
  ['Authorization', 'Bearer x'],
  ['Accept', 'text/html'],
  ['Cookie', 'a=b'],
  ['Host', 'evil.example'],
];

function sent(url: string, kind: RequestKind, rawHeaders: readonly string[] = CHROMIUMS): Record<string, string> {
  const load = { url: new URL('https://court.example/case/1'), headers: OWN };
  return Object.fromEntries(sentOnHeaders([...rawHeaders], { url: new URL(url), kind }, load));
}

describe('header fields on their way to the site', () => {
  it('are the caller’s for a document of the origin that was asked for', () => {
    expect(sent('https://court.example/login', 'document')).toEqual({
      Host: 'court.example',
      'user-agent': 'curlew/1',
      Authorization: 'Bearer x',
      Accept: 'text/html',
      Connection: 'keep-alive',
    });
  });

  it('say what a part wants, not what the document wanted', () => {
    expect(sent('https://court.example/app.js', 'part')).toMatchObject({ Accept: '*/*', Authorization: 'Bearer x' });
  });

  it.each(['document', 'part'] as const)('keep the caller’s secrets from another origin (%s)', (kind) => {
    for (const url of ['https://cdn.example/', 'http://court.example/', 'https://court.example:8443/']) {
      expect(sent(url, kind)).toEqual({
        Host: 'court.example',
        'user-agent': 'curlew/1',
        Accept: '*/*',
        Connection: 'keep-alive',
      });
    }
  });

  it('carry the cookies of the request to its origin, before those of the session, and to no other', () => {
    const url = new URL('https://court.example/case/1');
    const cookieAt = (to: string, cookie: string) =>
      sentOnHeaders(
        ['Host', 'x', 'Cookie', cookie],
        { url: new URL(to), kind: 'part' },
        { url, headers: [], ownCookies: { sid: '1', b: '2' } },
      ).filter(([name]) => name === 'Cookie');
    expect(cookieAt('https://court.example/x', 'a=0; sid=of-session; c=3')).toEqual([
      ['Cookie', 'a=0; c=3; sid=1; b=2'],
    ]);
    for (const other of ['http://court.example/', 'https://court.example:8443/', 'https://www.court.example/']) {
      expect(cookieAt(other, 'sid=of-session')).toEqual([['Cookie', 'sid=of-session']]);
    }
  });

  it('say that a body comes in chunks when it does, or the site takes it for the next request', () => {
    const chunked = ['Host', 'court.example', 'Transfer-Encoding', 'chunked'];
    expect(sent('https://court.example/', 'part', chunked)).toMatchObject({ 'Transfer-Encoding': 'chunked' });
    expect(sent('https://court.example/', 'part')).not.toHaveProperty('Transfer-Encoding');
  });

  it('switch the protocol only when Chromium asks for it', () => {
    const upgrade = ['Host', 'court.example', 'Connection', 'Upgrade', 'Upgrade', 'websocket'];
    expect(sent('https://court.example/ws', 'part', upgrade)).toMatchObject({
      Connection: 'Upgrade',
      Upgrade: 'websocket',
    });
  });
});

describe('header fields on their way to Chromium', () => {
  const headers: HeaderList = [
    ['Content-Type', 'text/html'],
    ['Content-Encoding', 'gzip'],
    ['Content-Length', '7'],
    ['Cache-Control', 'max-age=60'],
    ['ETag', '"1"'],
    ['Strict-Transport-Security', 'max-age=1'],
    ['Set-Cookie', 'a=1'],
    ['Set-Cookie', 'b=2'],
    ['Transfer-Encoding', 'chunked'],
  ];

  it('let a part be cached, and tell the truth about a body that was decoded', () => {
    expect(passedOnHeaders(headers, 'part', true)).toEqual([
      ['Content-Type', 'text/html'],
      ['Cache-Control', 'max-age=60'],
      ['ETag', '"1"'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
    ]);
    expect(passedOnHeaders(headers, 'part', false)).toContainEqual(['Content-Encoding', 'gzip']);
  });

  it('never let a document be cached', () => {
    expect(passedOnHeaders(headers, 'document', true)).toEqual([
      ['Content-Type', 'text/html'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
      ['Cache-Control', 'no-store'],
    ]);
  });

  it.each(['application/pdf', ' Application/PDF; x=y'])('make a download of a document that is "%s"', (type) => {
    const inline: HeaderList = [
      ['content-type', type],
      ['content-disposition', 'inline'],
    ];
    const passed = passedOnHeaders(inline, 'document', false);
    expect(passed.filter(([name]) => name.toLowerCase() === 'content-disposition')).toEqual([
      ['Content-Disposition', 'attachment'],
    ]);
    expect(passedOnHeaders(inline, 'part', false)).toContainEqual(['content-disposition', 'inline']);
  });
});
