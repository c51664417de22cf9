import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../platform/json.ts';
import type { AnswerJob, Reading, ReadingJob } from './reading.ts';
import {
  begin,
  hasBegun,
  newStates,
  packJobs,
  packReadings,
  takeBack,
  unpackJobs,
  unpackReadings,
} from './step-batch.ts';

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const text = fc.string({ unit: 'binary' });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const probe = fc.record({ speculator: text, partition: fc.dictionary(text, text), id: fc.nat() });
const verdict = fc.constantFrom('done', 'absent', 'failed', 'blocked', 'unknown', 'skipped');

const answer = fc.record({
  kind: fc.constant('answer'),
  spec: fc.record({ url: fc.webUrl(), step: maybe(text), depth: fc.nat(), context: maybe(json), probe: maybe(probe) }),
  identity: fc.string({ unit: fc.constantFrom(...'0123456789abcdef') }),
  response: fc.record({
    url: fc.webUrl(),
    status: fc.nat(599),
    responseHeaders: fc.array(fc.tuple(text, text)),
    body: fc.oneof(
      fc.uint8Array().map((body) => ({ kind: 'memory', encoded: body, decoded: body })),
      fc.uint8Array().map((decoded) => ({ kind: 'memory', encoded: Uint8Array.of(1, ...decoded), decoded })),
      fc.record({ kind: fc.constant('file'), path: text, size: fc.nat(), sha256: text }),
    ),
  }),
}) as fc.Arbitrary<ReadingJob>;

const settlement = fc.record({
  kind: fc.constant('settled'),
  verdict,
  status: maybe(fc.nat(599)),
  reason: maybe(text),
});
const miss = fc.record({
  kind: fc.constant('miss'),
  probe,
  miss: fc.record({
    partition: fc.dictionary(text, text),
    kind: fc.constant('ok'),
    status: maybe(fc.nat()),
    reason: text,
  }),
  settled: fc.record({ settlement, events: fc.constant([]), probe: verdict }),
}) as unknown as fc.Arbitrary<ReadingJob>;

const reading = fc.record({
  settlement,
  gathered: fc.record({
    records: fc.array(
      fc.record({ kind: text, data: json, errors: maybe(fc.array(fc.record({ path: text, message: text }))) }),
    ),
    children: fc.array(
      fc.record({
        spec: fc.record({ method: fc.constant('GET'), url: fc.webUrl(), step: maybe(text), context: maybe(json) }),
        host: text,
        identity: fc.uint8Array({ minLength: 16, maxLength: 16 }),
        reading: fc.nat(),
      }),
    ),
  }),
  events: fc.array(fc.record({ kind: text, data: json })),
  probe: maybe(verdict),
  judged: maybe(fc.array(fc.tuple(text, fc.record({ verdict, reason: maybe(text) }))).map((pairs) => new Map(pairs))),
}) as unknown as fc.Arbitrary<Reading>;

describe('a batch', () => {
  it('arrives as it was sent, in another thread too', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(answer, miss), { maxLength: 16 }), (jobs) => {
        const arrived = unpackJobs(structuredClone(packJobs(jobs)));
        expect(arrived.map(asRead)).toEqual(jobs.map(asRead));
      }),
    );
  });

  it('and so does what it came to', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(15), reading)), (readings) => {
        expect(unpackReadings(packReadings(readings))).toEqual(readings);
      }),
    );
  });
});

/** What a step can see of a job. */
function asRead(job: ReadingJob): unknown {
  if (job.kind === 'miss' || job.response.body.kind === 'file') return job;
  const { decoded } = job.response.body as Extract<AnswerJob['response']['body'], { decoded: unknown }>;
  return { ...job, response: { ...job.response, body: [...decoded] } };
}

describe('an answer of a batch', () => {
  it('is begun with or taken back, never both', () => {
    const states = newStates();
    expect(begin(states, 3)).toBe(true);
    expect(takeBack(states, 3)).toBe(false);
    expect(hasBegun(states, 3)).toBe(true);
    expect(takeBack(states, 4)).toBe(true);
    expect(begin(states, 4)).toBe(false);
    expect(hasBegun(states, 4)).toBe(false);
  });
});
