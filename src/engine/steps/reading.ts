// What the author's code makes of one answer. Here it runs, on this thread or another: what goes in and what comes out is
// plain data. All or nothing: a step that throws has yielded nothing, and its page is failed with that reason.

import { hash } from 'node:crypto';
import type { FetchedBody, FetchedExchange } from '../../fetch/outcome.ts';
import type { NewEvent, Settlement } from '../../ledger/page-result.ts';
import type { Judgement, ProbeMark, ProbeVerdict } from '../../ledger/probe.ts';
import type { RequestSpec } from '../../ledger/request-spec.ts';
import type { ScraperDefinition } from '../../scraper/definition.ts';
import type { PageSource } from '../../scraper/page/origin.ts';
import { Page } from '../../scraper/page/page.ts';
import { SavedFile } from '../../scraper/page/saved-file.ts';
import type { MissOutcome } from '../../scraper/speculate.ts';
import { isHit, judgePage, NOT_REAL, recordMiss } from '../judge-probe.ts';
import type { PageEvent } from '../run-events.ts';
import { type Gathered, NOTHING, runStep } from '../run-step.ts';
import { type StepFailure, stepFailure, withLongStacks } from '../step-failure.ts';
import { asAuthor } from './left-behind.ts';

/** What is to be read. */
export type ReadingJob = AnswerJob | MissJob;

/** A page or a file, for its step. */
export interface AnswerJob {
  readonly kind: 'answer';
  readonly spec: Pick<RequestSpec, 'url' | 'step' | 'depth' | 'context' | 'probe'>;
  /** The request's, as text. */
  readonly identity: string;
  readonly response: Pick<FetchedExchange, 'url' | 'status' | 'responseHeaders'> & {
    readonly body: FetchedBody | SentBody;
  };
}

/** A body that came from another thread. */
interface SentBody {
  readonly kind: 'sent';
  readonly decoded: Uint8Array;
  readonly archivedAs: string;
}

/** An id that is not there, for the records that its speculator makes of it. */
interface MissJob {
  readonly kind: 'miss';
  readonly probe: ProbeMark;
  readonly miss: Omit<MissOutcome, 'page'>;
  /** What is written down of it in any case. */
  readonly settled: Omit<Reading, 'gathered'>;
}

type TypedEvent = NewEvent & { readonly kind: PageEvent };

/** What an answer came to. */
export interface Reading {
  readonly settlement: Settlement;
  readonly gathered: Gathered;
  readonly events: readonly TypedEvent[];
  /** What the answer says about an id, when the request was a probe and has settled. */
  readonly probe: ProbeVerdict | undefined;
  readonly judged?: ReadonlyMap<string, Judgement> | undefined;
}

/** `inheriting`: the speculators whose ids inherit from whoever asked for their page first. */
export function read(definition: ScraperDefinition, inheriting: readonly string[], job: ReadingJob): Reading {
  return job.kind === 'answer' ? readAnswer(definition, inheriting, job) : readMiss(definition, job);
}

function readAnswer(definition: ScraperDefinition, inheriting: readonly string[], job: AnswerJob): Reading {
  const { step, probe } = job.spec;
  const { status } = job.response;
  let reached: ProbeVerdict | undefined = probe === undefined ? undefined : 'failed';
  let judged: Reading['judged'];
  try {
    const input = inputOf(job);
    if (inheriting.length > 0) judged = judgePage(definition, inheriting, input);
    if (probe !== undefined && input instanceof Page && !isHit(definition, probe, input)) {
      const reason = NOT_REAL;
      const miss = { partition: probe.partition, kind: 'ok', status, reason, page: input } as const;
      const settlement = { kind: 'settled', verdict: 'absent', status, reason } as const;
      return { settlement, gathered: recordMiss(definition, probe, miss), events: [], probe: 'absent', judged };
    }
    if (probe !== undefined) reached = 'hit';
    const gathered = step === undefined ? NOTHING : gather(definition, step, job, input);
    return {
      settlement: { kind: 'settled', verdict: 'done', status, reason: undefined },
      gathered,
      events: [],
      probe: reached,
      judged,
    };
  } catch (error) {
    const name = probe !== undefined && reached !== 'hit' ? probe.speculator : (step ?? '');
    return { ...failedReading(name, status, stepFailure(definition.name, name, error)), probe: reached, judged };
  }
}

function gather(
  definition: ScraperDefinition,
  step: string,
  { spec: { depth, context }, identity, response: { url } }: AnswerJob,
  input: Page | SavedFile,
): Gathered {
  const place = { step, base: url, depth, identity };
  return asAuthor({ owner: definition, name: `${definition.name}.${step}`, place: url }, () =>
    withLongStacks(() => runStep(definition, place, input, context)),
  );
}

function readMiss(definition: ScraperDefinition, { probe, miss, settled }: MissJob): Reading {
  try {
    return { ...settled, gathered: recordMiss(definition, probe, { ...miss, page: undefined }) };
  } catch (error) {
    const { speculator } = probe;
    const failure = stepFailure(definition.name, speculator, error);
    return { ...failedReading(speculator, miss.status, failure), probe: settled.probe };
  }
}

/** The page is failed with that reason, and nothing of it is kept but the error. `step` names whose code it was. */
export function failedReading(
  step: string,
  status: number | undefined,
  { reason, ...failure }: StepFailure,
): Omit<Reading, 'probe' | 'judged'> {
  return {
    settlement: { kind: 'settled', verdict: 'failed', status, reason },
    gathered: NOTHING,
    events: [{ kind: 'step_failed', data: { step, ...failure } }],
  };
}

/** Where a body is archived, as errors name it. */
export function archivedAs(encoded: Uint8Array): string {
  return `sha256:${hash('sha256', encoded)}`;
}

function inputOf({ spec, response }: AnswerJob): Page | SavedFile {
  const { url, status, responseHeaders: headers, body } = response;
  if (body.kind !== 'file') return new Page(new ReadSource(spec.url, response, body));
  const { path, size, sha256 } = body;
  return new SavedFile({ url, requestUrl: spec.url, status, headers, path, size, sha256 });
}

type BodyInMemory = Exclude<AnswerJob['response']['body'], { kind: 'file' }>;

/** A class, and no literal with a getter in it: V8 makes a shape of its own for each of those, and keeps it. */
class ReadSource implements PageSource {
  readonly url: string;
  readonly requestUrl: string;
  readonly status: number;
  readonly headers: PageSource['headers'];
  readonly body: Uint8Array;
  readonly #body: BodyInMemory;

  constructor(requestUrl: string, response: AnswerJob['response'], body: BodyInMemory) {
    this.url = response.url;
    this.requestUrl = requestUrl;
    this.status = response.status;
    this.headers = response.responseHeaders;
    this.body = body.decoded;
    this.#body = body;
  }

  /** Only errors name it, so it is not hashed for every page. */
  get archivedAs(): string {
    return this.#body.kind === 'sent' ? this.#body.archivedAs : archivedAs(this.#body.encoded);
  }
}
