// The same answer has the same outcome whichever way it was asked for: every hostile one is given to plain HTTP and to
// Chromium, by a server that says exactly these bytes, and both must say the same of it.

import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { FetchRequest } from '../../src/fetch/fetch-request.ts';
import type { Outcome } from '../../src/fetch/outcome.ts';
import { type RawServer, rawServer } from '../fixtures/raw-server.ts';
import { chromiumOrSkip } from '../fixtures/services.ts';
import { testPipeline } from '../fixtures/test-pipeline.ts';
import { closing, codeOf, load, openBrowser, text } from './browser-setup.ts';

await chromiumOrSkip();

type Say = (socket: Socket, path: string) => void;

/** Says so to everything but robots.txt, which it has not. */
async function serve(say: Say): Promise<RawServer> {
  const server = await rawServer((socket, head) => {
    const path = head.split(' ')[1] ?? '/';
    if (path === '/robots.txt') socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
    else say(socket, path);
  });
  return closing(server);
}

/** All of an outcome that does not depend on the way. */
function meaningOf(outcome: Outcome) {
  const { exchanges, ...meaning } = outcome;
  if (meaning.kind === 'ok') return { kind: meaning.kind };
  const statuses = exchanges.map(({ status }) => status);
  if (!('failure' in meaning) || meaning.failure !== 'protocol') return { ...meaning, statuses };
  // Each of the two parsers has its own words for what it cannot read.
  return { ...meaning, reason: meaning.reason.replace(/^(the answer is not valid HTTP): .*/, '$1'), statuses };
}

/** What it means over HTTP, having seen that it means the same in Chromium. */
async function outcomeOf(say: Say, request: Partial<FetchRequest> = {}) {
  const server = await serve(say);
  const url = `${server.origin}/0`;
  const pipeline = await testPipeline();
  const overHttp = meaningOf(await pipeline.fetch(url, request));
  const inBrowser = meaningOf(await pipeline.fetch(url, { ...request, via: 'browser' }));
  expect(inBrowser).toEqual(overHttp);
  return overHttp;
}

const HTML = 'Content-Type: text/html\r\n';
const PAGE = '<html>half';
const page = (fields: string, body = PAGE) => `HTTP/1.1 200 OK\r\n${fields}\r\n${body}`;
const WHOLE = page(`${HTML}Content-Length: 10\r\n`);
const manyFields = (count: number) => 'X: 1\r\n'.repeat(count);
const saying = (text: string) => (socket: Socket) => socket.write(text);
const closingAfter = (text: string) => (socket: Socket) => socket.end(text);
const resettingAfter = (text: string) => (socket: Socket) => socket.write(text, () => socket.resetAndDestroy());

describe('an answer that plain HTTP does not take', () => {
  const answers: readonly (readonly [string, string, Say])[] = [
    [
      'a part nobody asked for',
      'unasked_partial',
      saying(`HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9/99\r\n${HTML}Content-Length: 10\r\n\r\n${PAGE}`),
    ],
    ['a length above the body', 'body_cut_short', closingAfter(page(`${HTML}Content-Length: 99\r\n`))],
    ['a length above the body, and no type', 'body_cut_short', closingAfter(page('Content-Length: 99\r\n'))],
    ['a length above the body, reset', 'body_cut_short', resettingAfter(page(`${HTML}Content-Length: 99\r\n`))],
    [
      'chunks without an end',
      'body_cut_short',
      closingAfter(page(`${HTML}Transfer-Encoding: chunked\r\n`, `a\r\n${PAGE}\r\n`)),
    ],
    ['neither length nor type, reset', 'body_cut_short', resettingAfter(page(''))],
    ['no length, reset', 'body_cut_short', resettingAfter(page(HTML))],
    ['no length, closing, reset', 'body_cut_short', resettingAfter(page(`Connection: close\r\n${HTML}`))],
    [
      'a transfer coding that is none, reset',
      'body_cut_short',
      resettingAfter(page(`${HTML}Transfer-Encoding: identity\r\n`)),
    ],
    ['no length, reset at once', 'body_cut_short', resettingAfter(page(HTML, ''))],
    ['a length below the body', 'length_mismatch', saying(page(`${HTML}Content-Length: 5\r\n`))],
    [
      'a length below the body, closing',
      'length_mismatch',
      closingAfter(page(`${HTML}Connection: close\r\nContent-Length: 5\r\n`)),
    ],
    ['a length below the body, closed', 'length_mismatch', closingAfter(page(`${HTML}Content-Length: 5\r\n`))],
    ['a length of none, and a body', 'length_mismatch', saying(page(`${HTML}Content-Length: 0\r\n`))],
    [
      'chunks, and more behind them',
      'length_mismatch',
      saying(page(`${HTML}Transfer-Encoding: chunked\r\n`, `a\r\n${PAGE}\r\n0\r\n\r\nmore`)),
    ],
    [
      'an error of no length, and a body',
      'length_mismatch',
      saying(`HTTP/1.1 404 Not Found\r\n${HTML}Content-Length: 0\r\n\r\n${PAGE}`),
    ],
    ['a second answer behind the first', 'length_mismatch', saying(WHOLE + WHOLE)],
    ['a second answer behind the first, closed', 'length_mismatch', closingAfter(WHOLE + WHOLE)],
    [
      'a long body, and more behind it',
      'length_mismatch',
      saying(page(`${HTML}Content-Length: 300000\r\n`, 'x'.repeat(300_001))),
    ],
    ['two lengths', 'protocol', saying(page(`${HTML}Content-Length: 5\r\nContent-Length: 6\r\n`))],
    ['nonsense', 'protocol', saying('nonsense\r\n\r\n')],
    [
      'a transfer coding besides chunks',
      'protocol',
      saying(page(`${HTML}Transfer-Encoding: gzip, chunked\r\n`, `a\r\n${PAGE.slice(0, 10)}\r\n0\r\n\r\n`)),
    ],
    ['chunks of nonsense', 'protocol', saying(page(`${HTML}Transfer-Encoding: chunked\r\n`, `nonsense\r\n`))],
    ['too many announcements', 'protocol', saying('HTTP/1.1 102 Processing\r\n\r\n'.repeat(30) + WHOLE)],
    ['1,001 fields', 'headers_too_large', saying(page(`${manyFields(999)}${HTML}Content-Length: 10\r\n`))],
    ['3,000 fields', 'headers_too_large', saying(page(`${manyFields(2998)}${HTML}Content-Length: 10\r\n`))],
    [
      '200 kB of fields',
      'headers_too_large',
      saying(page(`${`X: ${'x'.repeat(100)}\r\n`.repeat(900)}${HTML}Content-Length: 10\r\n`)),
    ],
  ];

  it.each(answers)('is not taken in Chromium either: %s (%s)', async (_what, failure, say) => {
    expect(await outcomeOf(say)).toMatchObject({ kind: 'url_specific', failure });
  });

  it('is not saved by Chromium either', async () => {
    const disposition = 'Content-Disposition: attachment\r\n';
    for (const say of [
      resettingAfter(page(`${disposition}`)),
      closingAfter(page(`${disposition}Content-Length: 99\r\n`)),
      saying(page(`${disposition}Content-Length: 5\r\n`)),
    ]) {
      const failure = expect.stringMatching(/^(body_cut_short|length_mismatch)$/);
      expect(await outcomeOf(say, { saves: 'file' })).toMatchObject({ kind: 'url_specific', failure });
    }
  });

  it('is not taken in Chromium either: 304, when nothing had been fetched before', async () => {
    expect(await outcomeOf(saying('HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'))).toEqual({
      kind: 'url_specific',
      status: 304,
      reason: '304 Not Modified, although nothing had been fetched before',
      retriable: true,
      statuses: [304],
    });
  });

  it('means in Chromium too that nothing has changed: 304, when that was asked', async () => {
    const say = saying('HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n');
    const headers = { 'If-None-Match': '"a"' };
    expect(await outcomeOf(say, { headers })).toEqual({ kind: 'unchanged', etag: '"a"', statuses: [304] });
  });

  it('is not taken in Chromium either: 304, when that was asked of another address', async () => {
    const say: Say = (socket, path) =>
      socket.write(
        path === '/0'
          ? 'HTTP/1.1 302 Found\r\nLocation: /1\r\nContent-Length: 0\r\n\r\n'
          : 'HTTP/1.1 304 Not Modified\r\n\r\n',
      );
    const headers = { 'If-None-Match': '"a"' };
    expect(await outcomeOf(say, { headers })).toMatchObject({
      kind: 'url_specific',
      status: 304,
      statuses: [302, 304],
    });
  });

  it('is not taken in Chromium either: a body that falls silent before the connection ends', async () => {
    const server = await serve(saying(page(HTML)));
    const browser = await openBrowser({ timeouts: { idleMs: 300 } });
    expect(codeOf(await load(browser, server.origin))).toBe('idle_timeout');
  });
});

describe('an answer that plain HTTP takes', () => {
  it.each([
    ['1,000 fields', saying(page(`${manyFields(998)}${HTML}Content-Length: 10\r\n`))],
    ['no length, closed', closingAfter(page(HTML))],
    ['a true length, then reset', resettingAfter(WHOLE)],
    [
      'a true length, and a connection that is not to be kept',
      saying(page(`${HTML}Keep-Alive: timeout=1\r\nContent-Length: 10\r\n`)),
    ],
    ['a long body', saying(page(`${HTML}Content-Length: 300000\r\n`, 'x'.repeat(300_000)))],
    ['a few announcements', saying('HTTP/1.1 102 Processing\r\n\r\n'.repeat(20) + WHOLE)],
  ])('is taken in Chromium too: %s', async (_what, say) => {
    expect(await outcomeOf(say)).toEqual({ kind: 'ok' });
  });
});

describe('a redirect', () => {
  const to = (status: number, fields: string) => `HTTP/1.1 ${status} Moved\r\n${fields}Content-Length: 0\r\n\r\n`;
  const chain =
    (hops: number): Say =>
    (socket, path) => {
      const hop = Number(path.slice(1));
      socket.write(hop < hops ? to(302, `Location: /${hop + 1}\r\n`) : page(`${HTML}Content-Length: 10\r\n`));
    };

  it('is followed five times', async () => {
    expect(await outcomeOf(chain(5))).toEqual({ kind: 'ok' });
  });

  it('is not followed a sixth time', async () => {
    expect(await outcomeOf(chain(12))).toEqual({
      kind: 'url_specific',
      status: 302,
      reason: 'more than 5 redirects',
      retriable: false,
      statuses: [302, 302, 302, 302, 302, 302],
    });
  });

  it('is not followed in a circle', async () => {
    expect(await outcomeOf(saying(to(302, 'Location: /0\r\n')))).toMatchObject({
      kind: 'url_specific',
      status: undefined,
      reason: 'it redirects in a circle',
      statuses: [302],
    });
  });

  it('is followed as often as the request says', async () => {
    expect(await outcomeOf(chain(7), { maxRedirects: 7 })).toEqual({ kind: 'ok' });
    expect(await outcomeOf(chain(1), { maxRedirects: 0 })).toMatchObject({ reason: 'more than 0 redirects' });
  });

  it.each([
    ['to file:', to(302, 'Location: file:///etc/passwd\r\n')],
    ['to data:', to(302, 'Location: data:text/html,hello\r\n')],
    ['without a Location', to(302, '')],
    ['to something that is not a URL', to(301, 'Location: http://[/\r\n')],
  ])('%s ends there, for the same reason', async (_where, answer) => {
    expect(await outcomeOf(saying(answer))).toMatchObject({ kind: 'url_specific', retriable: false });
  });
});

describe('a page that goes somewhere and changes its mind', () => {
  it('stays', async () => {
    const script = '<h1>stays</h1><script>location = "/silent"; setTimeout(stop, 200)</script>';
    const server = await serve((socket, path) => {
      if (path === '/') socket.write(page(`${HTML}Content-Length: ${script.length}\r\n`, script));
    });
    expect(text(await load(await openBrowser(), server.origin))).toContain('<h1>stays</h1>');
  });
});

describe('a page that goes to an address that is refused', () => {
  it.each(['allow', 'strict', 'off'] as const)('fails for good, with robots %s', async (robots) => {
    const trap = await serve(saying(page(`${HTML}Content-Length: 10\r\n`)));
    const script = `<script>location = '${trap.origin}/'</script>`;
    const site = await serve(saying(page(`${HTML}Content-Length: ${script.length}\r\n`, script)));
    const pipeline = await testPipeline({ robots, allowHosts: [new URL(site.origin).host] });
    const outcome = await pipeline.fetch(`${site.origin}/`, { via: 'browser' });
    expect(outcome).toMatchObject({
      kind: 'url_specific',
      status: undefined,
      retriable: false,
      failure: 'address_refused',
      reason: expect.stringContaining('--allow-host'),
    });
    expect(trap.connections()).toBe(0);
  });
});
