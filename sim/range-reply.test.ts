import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rangeReply } from './range-reply.ts';

const body = Buffer.from('0123456789');
const reply = { status: 200, headers: { etag: '"a"' }, body };

function ask(range: string, more: Readonly<Record<string, string>> = {}) {
  const answer = rangeReply({ method: 'GET', pathname: '/', search: '', headers: { range, ...more }, body: '' }, reply);
  return [answer.status, String(answer.body), answer.headers['content-range']];
}

describe('rangeReply', () => {
  it.each([
    ['bytes=2-4', [206, '234', 'bytes 2-4/10']],
    ['bytes=7-', [206, '789', 'bytes 7-9/10']],
    ['bytes=7-99', [206, '789', 'bytes 7-9/10']],
    ['bytes=-3', [206, '789', 'bytes 7-9/10']],
    ['bytes=-99', [206, '0123456789', 'bytes 0-9/10']],
    ['bytes=10-', [416, '', 'bytes */10']],
    ['bytes=-0', [416, '', 'bytes */10']],
  ])('answers %s', (range, expected) => {
    expect(ask(range)).toEqual(expected);
  });

  it.each(['', 'bytes=', 'bytes=-', 'bytes=4-2', 'bytes=0-1,3-4', 'lines=1-2'])('gives the whole for %j', (range) => {
    expect(ask(range)).toEqual([200, '0123456789', undefined]);
  });

  it('gives the part only if the file is still that of If-Range', () => {
    expect(ask('bytes=2-4', { 'if-range': '"a"' })[0]).toBe(206);
    expect(ask('bytes=2-4', { 'if-range': '"b"' })[0]).toBe(200);
  });

  it('gives parts that join to the whole', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), (cut) => {
        expect(`${ask(`bytes=0-${cut - 1}`)[1]}${ask(`bytes=${cut}-`)[1]}`).toBe('0123456789');
      }),
    );
  });
});
