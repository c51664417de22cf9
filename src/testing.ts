// `curlew/testing`: run one step on a saved page and see what it yields, without any engine. The way authors write tests.

import { type ArchivedAddress, archivedAnswer } from './engine/archived-answer.ts';
import { runStep } from './engine/run-step.ts';
import type { NewRecord } from './ledger/page-result.ts';
import type { RequestSpec } from './ledger/request-spec.ts';
import { CurlewError, ErrorCode } from './platform/errors.ts';
import { defineScraper } from './scraper/definition.ts';
import { Page } from './scraper/page/page.ts';
import { SavedFile } from './scraper/page/saved-file.ts';
import type { Handed, Step } from './scraper/request.ts';
import type { Scraper } from './scraper/scraper.ts';

export type { ArchivedAddress } from './engine/archived-answer.ts';
export type { ProbeMark, WalkId } from './ledger/probe.ts';
export type { RequestSpec, StoredAccept, ValueReference } from './ledger/request-spec.ts';

/** A page for a step to read: its HTML (or JSON, or bytes), and where it would have come from. */
export interface SamplePage {
  readonly body: string | Uint8Array;
  /** Absolute, or relative to the scraper's base URL, which is the default. */
  readonly url?: string;
  /** Default 200. */
  readonly status?: number;
  /** Default: those of HTML in UTF-8 for text, none for bytes. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A download for a step to read. */
export interface SampleFile {
  readonly path: string;
  readonly url?: string;
  readonly size?: number;
  readonly sha256?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a step yielded. */
export interface StepResult {
  /** Checked against their schemas, as the engine would: `errors` is undefined for valid ones. */
  readonly records: readonly NewRecord[];
  /** Addresses absolute, steps by name. */
  readonly requests: readonly RequestSpec[];
}

/**
 * Runs `step` of `scraper` on a page and gives what it yields. Throws what the step throws. The page is HTML as text, a
 * sample with an address and headers, or a page of the archive.
 *
 * @example
 * const { records } = testStep(court, court.parseCase, { body: await readFile('case-17.html'), url: '/case/17' });
 */
export function testStep<Context extends Handed>(
  scraper: Scraper,
  step: Step<Page, Context>,
  sample: SamplePage | string | Page,
  ...context: NoInfer<Context>
): StepResult {
  const page =
    sample instanceof Page ? sample : pageOf(scraper, typeof sample === 'string' ? { body: sample } : sample);
  return runOn(scraper, step, page, page.url, context[0]);
}

/**
 * A page that a run has archived, exactly as its step got it. Throws `not_in_archive` when that run has none from there.
 *
 * @example
 * const page = await archivedPage({ data: './curlew-data', run: 'latest', url: 'https://court.example/case/17' });
 * const { records } = testStep(court, court.parseCase, page);
 */
export async function archivedPage(address: ArchivedAddress): Promise<Page> {
  const answer = await archivedAnswer(address);
  if (answer instanceof Page) return answer;
  throw new CurlewError(ErrorCode.notInArchive, `${address.url} was downloaded to a file, and is no page.`, {
    remedy: `Test the step that follows it with testFileStep and the file ${answer.path}.`,
  });
}

/** As `testStep`, for a step that follows a download. */
export function testFileStep<Context extends Handed>(
  scraper: Scraper,
  step: Step<SavedFile, Context>,
  sample: SampleFile,
  ...context: NoInfer<Context>
): StepResult {
  const { path, size = 0, sha256 = '', headers = {} } = sample;
  const url = new URL(sample.url ?? '', scraper.baseUrl).href;
  const file = new SavedFile({
    url,
    requestUrl: url,
    status: 200,
    headers: Object.entries(headers),
    path,
    size,
    sha256,
  });
  return runOn(scraper, step, file, url, context[0]);
}

function pageOf(scraper: Scraper, { body, url: written = '', status = 200, headers = {} }: SamplePage): Page {
  const url = new URL(written, scraper.baseUrl).href;
  const implied = typeof body === 'string' ? { 'content-type': 'text/html; charset=utf-8' } : {};
  return new Page({
    url,
    requestUrl: url,
    status,
    headers: Object.entries({ ...implied, ...headers }),
    body: typeof body === 'string' ? Buffer.from(body) : body,
  });
}

function runOn(scraper: Scraper, step: unknown, input: unknown, url: string, context: unknown): StepResult {
  const definition = defineScraper(scraper);
  const place = { step: definition.nameOf(step as never), base: url, depth: 0, identity: 'test' };
  const { records, children } = runStep(definition, place, input, context as never);
  return { records, requests: children.map(({ spec }) => spec) };
}
