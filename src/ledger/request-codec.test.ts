import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '../platform/json.ts';
import type { WalkId } from './probe.ts';
import { decodeRequest, encodeRequest } from './request-codec.ts';
import type { RequestBody, RequestSpec } from './request-spec.ts';
import { sampleRequest } from './sample-request.ts';

const json = fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<Json>;
const text = fc.string({ unit: 'binary' });
const pairs = fc.dictionary(text, text);
const orNot = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const body: fc.Arbitrary<RequestBody> = fc.oneof(
  fc.record({ kind: fc.constant('form' as const), fields: fc.array(fc.tuple(text, text)) }),
  fc.record({ kind: fc.constant('json' as const), value: json }),
  fc.record({ kind: fc.constant('text' as const), text, type: text }),
);

const spec: fc.Arbitrary<RequestSpec> = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  url: fc.webUrl(),
  saves: fc.constantFrom('page', 'file'),
  step: orNot(text),
  context: orNot(json),
  body: orNot(body),
  headers: orNot(pairs),
  cookies: orNot(pairs),
  session: orNot(text),
  values: orNot(
    fc.dictionary(
      text,
      fc.record({ session: text, path: fc.array(text), or: text }, { requiredKeys: ['session', 'path'] }),
    ),
  ),
  signed: orNot(text),
  accept: orNot(
    fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('pdf' as const), minBytes: fc.nat() }),
        fc.record({ kind: fc.constant('min_bytes' as const), minBytes: fc.nat() }),
        fc.record({ kind: fc.constant('not_html' as const) }),
        fc.record({ kind: fc.constant('function' as const), name: text }),
      ),
    ),
  ),
  from: orNot(fc.array(text)),
  path: orNot(text),
  via: fc.constantFrom('http', 'browser'),
  waitFor: orNot(text),
  probe: orNot(
    fc.record({
      walk: fc.nat().map((id) => id as WalkId),
      speculator: text,
      partition: fc.dictionary(text, fc.oneof(text, fc.integer())),
      id: fc.maxSafeInteger(),
    }),
  ),
  priority: fc.integer(),
  depth: fc.nat(),
});

it('brings every field of a request back as it was', () => {
  fc.assert(
    fc.property(spec, (request) => {
      // What JSON itself folds (-0) is refused before it gets here; compare through it.
      expect(decodeRequest(encodeRequest(request))).toEqual(foldNegativeZero(request));
    }),
    { numRuns: 1000 },
  );
});

it('stores nothing extra for a plain GET', () => {
  expect(encodeRequest(sampleRequest()).extra).toBeNull();
});

function foldNegativeZero<T>(value: T): T {
  if (Object.is(value, -0)) return 0 as T;
  if (Array.isArray(value)) return value.map(foldNegativeZero) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, foldNegativeZero(part)])) as T;
}
