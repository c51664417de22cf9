import { describe, expect, it } from 'vitest';
import type { FetchRequest } from './fetch-request.ts';
import { firstLeg, isConditional, type Leg, legAfter } from './leg.ts';

const request: FetchRequest = {
  method: 'GET',
  url: 'https://court.example/a',
  headers: { 'If-None-Match': '"1"', 'if-modified-since': 'then', 'X-Own': 'x', Authorization: 'secret' },
  cookies: {},
  body: undefined,
  session: 'default',
  saves: 'page',
  via: 'http',
  waitFor: undefined,
};

function follow(leg: Leg, status: number, location: string): Leg {
  const next = legAfter(leg, status, [['Location', location]], 0);
  if (next?.kind !== 'follow') return expect.fail(`not followed: ${JSON.stringify(next)}`);
  return next.leg;
}

describe('the first leg', () => {
  it('names the type of its body, unless the caller did', () => {
    const body = { bytes: Buffer.from('a=1'), type: 'text/x-form' };
    expect(firstLeg({ ...request, headers: {}, body }).headers).toEqual([['Content-Type', 'text/x-form']]);
    expect(firstLeg({ ...request, headers: { 'content-type': 'own' }, body }).headers).toEqual([
      ['content-type', 'own'],
    ]);
  });
});

describe('the leg after', () => {
  it('is conditional no more: what is known of one address says nothing about another', () => {
    const first = firstLeg(request);
    expect(isConditional(first)).toBe(true);
    const next = follow(first, 302, '/b');
    expect(isConditional(next)).toBe(false);
    expect(next.headers).toEqual([
      ['X-Own', 'x'],
      ['Authorization', 'secret'],
    ]);
  });

  it('takes nothing to another origin that could be a credential', () => {
    const first = firstLeg({ ...request, headers: { ...request.headers, Accept: 'text/html' } });
    expect(follow(first, 302, 'https://other.example/').headers).toEqual([['Accept', 'text/html']]);
  });

  it('keeps the body of a 307, and leaves that of a 303', () => {
    const posted = firstLeg({ ...request, method: 'POST', body: { bytes: Buffer.from('x'), type: 't' } });
    expect(follow(posted, 307, '/b')).toMatchObject({ method: 'POST', body: Buffer.from('x') });
    expect(follow(posted, 303, '/b')).toMatchObject({ method: 'GET', body: undefined });
  });

  it('is none when the answer is no redirect, and an outcome with the status when it cannot be followed', () => {
    const first = firstLeg(request);
    expect(legAfter(first, 200, [], 0)).toBeUndefined();
    expect(legAfter(first, 302, [], 0)).toMatchObject({ kind: 'url_specific', status: 302, retriable: false });
  });
});
