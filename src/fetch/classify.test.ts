import { describe, expect, it } from 'vitest';
import { classify, contextAt, SHORTEST_RATE_LIMIT_MS, statusVerdict, UNTOLD_RATE_LIMIT_MS } from './classify.ts';
import { HOP_FAILURE_CODES, type HopFailureCode } from './http/failure-code.ts';
import type { HopAnswer, HopFailure } from './http/hop-result.ts';
import type { HeaderList } from './outcome.ts';

const now = 1_000_000;
const context = contextAt(now, false);

function answer(status: number, headers: HeaderList = []): HopAnswer {
  const body = { kind: 'memory', encoded: new Uint8Array(), decoded: new Uint8Array() } as const;
  const rest = { requestHeaders: [], remoteAddress: undefined, durationMs: 1 };
  return { kind: 'answer', status, statusText: 'Whatever the server says', headers, body, ...rest };
}
function failure(code: HopFailureCode, status?: number, headers: HeaderList = []): HopFailure {
  return { kind: 'failure', code, reason: 'why', head: status === undefined ? undefined : { status, headers } };
}

describe('classify', () => {
  it.each([200, 201, 203, 204, 206, 299])('takes %i for ok', (status) => {
    expect(classify(answer(status), context)).toEqual({ kind: 'ok' });
  });

  it('takes 304 for unchanged when it was asked, and tells the ETag', () => {
    const result = classify(answer(304, [['ETag', '"a"']]), { ...context, conditional: true });
    expect(result).toEqual({ kind: 'unchanged', etag: '"a"' });
  });

  it('takes 304 to a first request for an error', () => {
    expect(classify(answer(304), context)).toMatchObject({ kind: 'url_specific', status: 304, retriable: true });
  });

  it.each([400, 401, 403, 404, 405, 406, 409, 410, 418, 451, 300, 305])('takes %i for permanent', (status) => {
    expect(classify(answer(status), context)).toMatchObject({ kind: 'url_specific', status, retriable: false });
  });

  it.each([408, 425, 500, 501, 505, 507, 520, 599, 600, 999])('takes %i for retriable', (status) => {
    expect(classify(answer(status), context)).toMatchObject({ kind: 'url_specific', status, retriable: true });
  });

  it('says the reason in standard words, not in those of the server', () => {
    expect(classify(answer(404), context)).toMatchObject({ reason: '404 Not Found' });
    expect(classify(answer(999), context)).toMatchObject({ reason: 'status 999' });
  });

  it('makes the host wait on 429, as long as it says', () => {
    const result = classify(answer(429, [['Retry-After', '7']]), context);
    expect(result).toEqual({ kind: 'rate_limited', until: 1_007_000, reason: '429 Too Many Requests' });
  });

  it('does not let a site stop the host for longer than allowed', () => {
    expect(classify(answer(429, [['Retry-After', '99999']]), context)).toMatchObject({ until: 1_000_000 + 3_600_000 });
  });

  it.each([[[]], [[['retry-after', 'junk']]]] as const)('makes the host wait on 429 that does not say', (headers) => {
    expect(classify(answer(429, headers as HeaderList), context)).toMatchObject({
      kind: 'rate_limited',
      until: 1_000_000 + UNTOLD_RATE_LIMIT_MS,
    });
  });

  it.each(['0', 'Sun, 06 Nov 1960 08:49:37 GMT'])('rests a moment on 429 even if it says %s', (value) => {
    expect(classify(answer(429, [['retry-after', value]]), context)).toMatchObject({
      kind: 'rate_limited',
      until: now + SHORTEST_RATE_LIMIT_MS,
    });
  });

  it.each([502, 503, 504])('takes %i for site-wide, and obeys Retry-After', (status) => {
    expect(classify(answer(status), context)).toEqual({ kind: 'site_wide', reason: expect.stringMatching(/^50\d /) });
    expect(classify(answer(status, [['retry-after', '9']]), context)).toMatchObject({ retryAfter: 1_009_000 });
  });

  const siteWide: readonly HopFailureCode[] = [
    'dns',
    'connect_refused',
    'connect_timeout',
    'unreachable',
    'tls',
    'proxy_unreachable',
    'proxy_auth',
    'proxy_refused',
    'reset_before_answer',
    'headers_timeout',
    'total_timeout',
  ];

  it.each(siteWide)('takes %s without an answer for site-wide', (code) => {
    expect(classify(failure(code), context)).toEqual({ kind: 'site_wide', reason: 'why', failure: code });
  });

  it.each(HOP_FAILURE_CODES.filter((code) => !siteWide.includes(code) && code !== 'address_refused'))(
    'takes %s for a broken answer, worth another try',
    (code) => {
      const expected = { kind: 'url_specific', status: 200, reason: 'why', retriable: true, failure: code };
      expect(classify(failure(code, 200), context)).toEqual(expected);
    },
  );

  it('takes a body that ran out of time for a broken answer', () => {
    expect(classify(failure('total_timeout', 200), context)).toMatchObject({ kind: 'url_specific', retriable: true });
  });

  it('takes a refused address for permanent', () => {
    expect(classify(failure('address_refused'), context)).toMatchObject({ kind: 'url_specific', retriable: false });
  });

  it('believes the head of a 429 or 503 whose body is broken', () => {
    const headers: HeaderList = [['Retry-After', '7']];
    expect(classify(failure('body_cut_short', 429, headers), context)).toMatchObject({ until: 1_007_000 });
    expect(classify(failure('decoded_too_large', 503, headers), context)).toMatchObject({ retryAfter: 1_007_000 });
  });
});

describe('statusVerdict', () => {
  it.each([
    [404, 'absent'],
    [410, 'absent'],
    [401, 'blocked'],
    [403, 'blocked'],
    [400, 'failed'],
    [500, 'failed'],
    [undefined, 'failed'],
  ])('calls %s %s', (status, verdict) => {
    expect(statusVerdict(status)).toBe(verdict);
  });
});
