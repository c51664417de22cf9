import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../platform/json.ts';
import type { AnswerJob, Reading, ReadingJob } from './reading.ts';
import {
  hasBegun,
  packJobs,
  packReadings,
  type SentBatch,
  takeBack,
  unpackJobs,
  unpackReadings,
  workThrough,
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
        const arrived = unpackJobs(structuredClone(packJobs(1, jobs)));
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
  const job = (url: string) =>
    ({ kind: 'answer', identity: url, spec: {}, response: { url, body: { kind: 'file' } } }) as unknown as ReadingJob;
  const reading = { gathered: { records: [], children: [] } } as unknown as Reading;

  /** Works through a batch of four; `meanwhile` is called when it tells of an answer, with how many it has read. */
  function work(batch: SentBatch, meanwhile: (read: number) => void): string[] {
    const read: string[] = [];
    const note = (one: ReadingJob) => {
      read.push(one.kind === 'answer' ? one.identity : '');
      return reading;
    };
    workThrough(
      batch,
      note,
      () => meanwhile(read.length),
      () => true,
    );
    return read;
  }

  it('is begun with or taken back, never both', () => {
    const batch = packJobs(1, ['a', 'b', 'c', 'd'].map(job));
    const taken: boolean[] = [];
    const read = work(batch, (count) => {
      if (count === 2) taken.push(takeBack(batch.states, 1), takeBack(batch.states, 2));
    });
    expect(taken).toEqual([false, true]);
    expect(read).toEqual(['a', 'b', 'd']);
    expect([0, 1, 2, 3].map((index) => hasBegun(batch.states, index))).toEqual([true, true, false, true]);
  });

  it('that was taken back stays so when its thread is given another batch before it has let go of this one', () => {
    const batch = packJobs(1, ['a', 'b', 'c', 'd'].map(job));
    const read = work(batch, (count) => {
      if (count !== 1) return;
      for (const index of [1, 2, 3]) takeBack(batch.states, index);
      packJobs(2, ['e', 'f', 'g', 'h'].map(job));
    });
    expect(read).toEqual(['a']);
  });
});
