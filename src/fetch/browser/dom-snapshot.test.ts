import { describe, expect, it } from 'vitest';
import { headersForBody } from './dom-snapshot.ts';

describe('headersForBody', () => {
  const headers = [
    ['Content-Type', 'text/html; charset=latin1'],
    ['Content-Encoding', 'br'],
    ['Content-Length', '10'],
    ['Set-Cookie', 'a=1'],
    ['Set-Cookie', 'b=2'],
  ] as const;

  it('keeps what described the other body under another name', () => {
    expect(headersForBody(headers)).toEqual([
      ['Content-Type', 'text/html; charset=latin1'],
      ['x-archive-orig-content-encoding', 'br'],
      ['x-archive-orig-content-length', '10'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
    ]);
  });

  it('gives a new type to a new kind of body', () => {
    const changed = headersForBody(headers, 'text/html; charset=utf-8');
    expect(changed[0]).toEqual(['x-archive-orig-content-type', 'text/html; charset=latin1']);
    expect(changed.at(-1)).toEqual(['content-type', 'text/html; charset=utf-8']);
  });
});
