import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeActionToken } from './normalize-action-token.ts';
import { splitTokens } from './split-tokens.ts';

describe('normalizeActionToken', () => {
  it.each([
    ['FSD0151202511062025ATPLIFESCIENCE', 'FSD0151202511062025ATPLIFESCIENCE'],
    ['  fsd0151-2025 ', 'FSD01512025'],
    ['SMITH%20%26+CO', 'SMITHCO'],
    ['SMITH &amp; CO', 'SMITHCO'],
    ['SMITH&nbsp;CO', 'SMITHCO'],
    ['SMITH&eacute;CO', 'SMITHCO'],
    ['SMITH&#x41;CO', 'SMITHACO'],
    ['SMITH\u00a0CO', 'SMITHCO'],
    ['A%C3%A9B', 'AB'],
    ['A%ZZB', 'AZZB'],
    ['100%', '100'],
    ['A<b>B', 'ABB'],
    ['—', ''],
    ['', ''],
  ])('makes %j %j', (raw, norm) => {
    expect(normalizeActionToken(raw)).toBe(norm);
  });

  it('leaves letters and digits only, and changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (raw) => {
        const norm = normalizeActionToken(raw);
        expect(norm).toMatch(/^[A-Z0-9]*$/);
        expect(normalizeActionToken(norm)).toBe(norm);
      }),
    );
  });
});

describe('splitTokens', () => {
  it('splits at |, ; and , only', () => {
    expect(splitTokens('A B| C;D ,E/F-G ;; ')).toEqual(['A B', 'C', 'D', 'E/F-G']);
  });

  it('does not split at the end of a character reference', () => {
    expect(splitTokens('SMITH&amp;CO;R&#38;D;X&#x26;Y')).toEqual(['SMITH&amp;CO', 'R&#38;D', 'X&#x26;Y']);
    expect(splitTokens('A&B;C')).toEqual(['A&B', 'C']);
  });
});
