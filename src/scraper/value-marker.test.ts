import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ValueReference } from '../ledger/request-spec.ts';
import { canonicalUrl } from './canonical-url.ts';
import { markerOf, placeValues } from './value-marker.ts';

const text = fc.string({ unit: 'binary' });
const reference: fc.Arbitrary<ValueReference> = fc.record(
  { session: text, path: fc.array(text, { minLength: 1, maxLength: 2 }), or: text },
  { requiredKeys: ['session', 'path'] },
);

describe('a value of a session in the texts of a request', () => {
  it('becomes a placeholder that stands for it, wherever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, reference), { minLength: 1, maxLength: 5 }), (pieces) => {
        const url = pieces.map(([before, one]) => before + markerOf(one)).join('');
        const { parts, values = {} } = placeValues({ url });
        // Each placeholder once more as what it stands for: what comes out is what went in.
        let back = parts.url;
        for (const [placeholder, one] of Object.entries(values)) back = back.replaceAll(placeholder, markerOf(one));
        expect(back).toBe(JSON.parse(JSON.stringify(url)));
      }),
    );
  });

  it('has a name that no encoding of a request changes', () => {
    fc.assert(
      fc.property(reference, (one) => {
        const { parts, values = {} } = placeValues({ url: `https://court.example/a?b=${markerOf(one)}` });
        const [placeholder = ''] = Object.keys(values);
        expect(placeholder).toMatch(/^__[\w.-]+__$/);
        expect(canonicalUrl(parts.url)).toBe(parts.url);
        expect(new URLSearchParams([['', placeholder]]).toString()).toBe(`=${placeholder}`);
        expect(JSON.stringify(placeholder)).toBe(`"${placeholder}"`);
      }),
    );
  });

  it('cannot be written by a page: what looks like its placeholder stays what it is', () => {
    const one = { session: 'court', path: ['nonce'] };
    const { parts, values } = placeValues({ url: `/a?said=__court.nonce__&nonce=${markerOf(one)}` });
    expect(parts.url).toBe('/a?said=__court.nonce__&nonce=__court.nonce.2__');
    expect(values).toEqual({ '__court.nonce.2__': one });
    expect(placeValues({ url: '/a?said=__court.nonce__' }).values).toBeUndefined();
  });

  it('is told apart from one with a similar name', () => {
    const { values = {} } = placeValues({
      url: ['a/b', 'a_b'].map((key) => markerOf({ session: 'court', path: ['fid', key] })).join(),
    });
    expect(Object.values(values).map(({ path }) => path[1])).toEqual(['a/b', 'a_b']);
  });
});
