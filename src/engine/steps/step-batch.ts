// Answers that are sent to a thread together, and what they came to. As text: for many small objects that takes a fraction of
// the time in which Node would copy them. Bodies go as one block of bytes. Which of the answers a thread has begun with is in
// memory that both threads see: so those behind one that takes long can be taken back and given to another.

import type { NewRequest } from '../../ledger/page-result.ts';
import type { Judgement } from '../../ledger/probe.ts';
import { type AnswerJob, archivedAs, type Reading, type ReadingJob } from './reading.ts';

export const MOST_IN_BATCH = 16;

/** From here to a thread. */
export interface SentBatch {
  /** Names it. */
  readonly number: number;
  readonly text: string;
  readonly bodies: Uint8Array<ArrayBuffer>;
  /** Of each answer, for both threads. Never used for another batch: a thread may be told of the next before it has let go. */
  readonly states: Int32Array;
}

/** From a thread to here: that it has the scraper, what answers of a batch came to, or what failed after its step was done. */
export type Told = typeof READY | { readonly batch: number; readonly text: string } | { readonly left: string };

export const READY = 'ready';

/** What the answers of a batch came to, by their places in it. */
export type Readings = readonly (readonly [index: number, reading: Reading])[];

type InText =
  | Exclude<ReadingJob, AnswerJob>
  | (Omit<AnswerJob, 'response'> & {
      readonly response: Omit<AnswerJob['response'], 'body'> & {
        readonly body: PlacedBody | Extract<AnswerJob['response']['body'], { readonly kind: 'file' }>;
      };
    });

/** A body among the bytes of a batch. */
interface PlacedBody {
  readonly kind: 'placed';
  readonly size: number;
  /** Undefined: it is archived as it is here. */
  readonly archivedAs: string | undefined;
}

export function packJobs(number: number, jobs: readonly ReadingJob[]): SentBatch {
  const bodies: Uint8Array[] = [];
  const text = JSON.stringify(jobs.map((job) => packJob(job, bodies)));
  const all = new Uint8Array(bodies.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const body of bodies) {
    all.set(body, at);
    at += body.length;
  }
  return { number, text, bodies: all, states: new Int32Array(new SharedArrayBuffer(4 * jobs.length)) };
}

function packJob(job: ReadingJob, bodies: Uint8Array[]): InText {
  if (job.kind === 'miss') return job;
  const { url, step, depth, context, probe } = job.spec;
  const spec = { url, step, depth, context, probe };
  const { url: finalUrl, status, responseHeaders, body } = job.response;
  const response = { url: finalUrl, status, responseHeaders };
  const { kind, identity } = job;
  if (body.kind === 'file') return { kind, spec, identity, response: { ...response, body } };
  bodies.push(body.decoded);
  const place = body.kind === 'sent' ? body.archivedAs : archivePlace(body);
  const placed = { kind: 'placed', size: body.decoded.length, archivedAs: place } as const;
  return { kind, spec, identity, response: { ...response, body: placed } };
}

function archivePlace({ encoded, decoded }: { encoded: Uint8Array; decoded: Uint8Array }): string | undefined {
  return encoded === decoded ? undefined : archivedAs(encoded);
}

export function unpackJobs({ text, bodies }: Pick<SentBatch, 'text' | 'bodies'>): ReadingJob[] {
  let at = 0;
  return (JSON.parse(text) as InText[]).map((job) => {
    if (job.kind === 'miss') return job;
    const { body } = job.response;
    if (body.kind === 'file') return { ...job, response: { ...job.response, body } };
    const decoded = bodies.subarray(at, at + body.size);
    at += body.size;
    const whole =
      body.archivedAs === undefined
        ? ({ kind: 'memory', encoded: decoded, decoded } as const)
        : ({ kind: 'sent', decoded, archivedAs: body.archivedAs } as const);
    return { ...job, response: { ...job.response, body: whole } };
  });
}

/** A reading whose bytes are characters. */
interface ReadingInText extends Omit<Reading, 'gathered' | 'judged'> {
  readonly records: Reading['gathered']['records'];
  readonly children: readonly (Omit<NewRequest, 'identity'> & { readonly identity: string })[];
  readonly judged: readonly (readonly [string, Judgement])[] | undefined;
}

export function packReadings(readings: Readings): string {
  return JSON.stringify(
    readings.map(([index, { gathered, judged, ...rest }]): readonly [number, ReadingInText] => [
      index,
      {
        ...rest,
        records: gathered.records,
        children: gathered.children.map((child) => ({
          ...child,
          identity: String.fromCharCode(...child.identity),
        })),
        judged: judged && [...judged],
      },
    ]),
  );
}

export function unpackReadings(text: string): Readings {
  return (JSON.parse(text) as [number, ReadingInText][]).map(([index, { records, children, judged, ...rest }]) => {
    const gathered = {
      records,
      children: children.map((child) => ({
        ...child,
        identity: Uint8Array.from(child.identity, (character) => character.charCodeAt(0)),
      })),
    };
    return [index, { ...rest, gathered, judged: judged && new Map(judged) }];
  });
}

const State = { waiting: 0, begun: 1, takenBack: 2 } as const;

/** In the thread: reads what it may of a batch, and tells of it when it is done and whenever `isTime`. */
export function workThrough(
  batch: SentBatch,
  read: (job: ReadingJob) => Reading,
  tell: (told: Told) => void,
  isTime: () => boolean,
): void {
  let readings: (readonly [number, Reading])[] = [];
  const tellNow = () => {
    if (readings.length > 0) tell({ batch: batch.number, text: packReadings(readings) });
    readings = [];
  };
  for (const [index, job] of unpackJobs(batch).entries()) {
    if (!begin(batch.states, index)) continue;
    readings.push([index, read(job)]);
    if (isTime()) tellNow();
  }
  tellNow();
}

/** In the thread: whether the answer at `index` is for it to read. */
function begin(states: Int32Array, index: number): boolean {
  return Atomics.compareExchange(states, index, State.waiting, State.begun) === State.waiting;
}

/** Whether the answer at `index` had not been begun with, and now never will be. */
export function takeBack(states: Int32Array, index: number): boolean {
  return Atomics.compareExchange(states, index, State.waiting, State.takenBack) === State.waiting;
}

export function hasBegun(states: Int32Array, index: number): boolean {
  return Atomics.load(states, index) === State.begun;
}
