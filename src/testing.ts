// `curlew/testing`: run one step on a saved page and see what it yields, without any engine. The way authors write tests.

import { runStep } from './engine/run-step.ts';
import type { NewRecord } from './ledger/page-result.ts';
import type { RequestSpec } from './ledger/request-spec.ts';
import { defineScraper } from './scraper/definition.ts';
import { Page } from './scraper/page/page.ts';
import { SavedFile } from './scraper/page/saved-file.ts';
import type { Handed, Step } from './scraper/request.ts';
import type { Scraper } from './scraper/scraper.ts';

/** A page for a step to read: its HTML (or JSON, or bytes), and where it would have come from. */
export interface SamplePage {
  readonly body: string | Uint8Array;
  /** Default: the scraper's base URL. */
  readonly url?: string;
  readonly status?: number;
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

export interface StepResult {
  /** Checked against their schemas, as the engine would: `errors` is undefined for valid ones. */
  readonly records: readonly NewRecord[];
  /** Addresses absolute, steps by name. */
  readonly requests: readonly RequestSpec[];
}

/**
 * Runs `step` of `scraper` on a saved page and gives what it yields. Throws what the step throws.
 *
 * @example
 * const { records } = testStep(court, court.parseCase, { body: await readFile('case-17.html') });
 */
export function testStep<Context extends Handed>(
  scraper: Scraper,
  step: Step<Page, Context>,
  sample: SamplePage | string,
  ...context: NoInfer<Context>
): StepResult {
  const {
    body,
    url = scraper.baseUrl,
    status = 200,
    headers = {},
  } = typeof sample === 'string' ? { body: sample } : sample;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const fallback = typeof body === 'string' ? { 'content-type': 'text/html; charset=utf-8' } : {};
  const page = new Page({
    url,
    requestUrl: url,
    status,
    headers: Object.entries({ ...fallback, ...headers }),
    body: bytes,
  });
  return runOn(scraper, step, page, url, context[0]);
}

/** As `testStep`, for a step that follows a download. */
export function testFileStep<Context extends Handed>(
  scraper: Scraper,
  step: Step<SavedFile, Context>,
  sample: SampleFile,
  ...context: NoInfer<Context>
): StepResult {
  const { path, url = scraper.baseUrl, size = 0, sha256 = '', headers = {} } = sample;
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

function runOn(scraper: Scraper, step: unknown, input: unknown, url: string, context: unknown): StepResult {
  const definition = defineScraper(scraper);
  const place = { step: definition.nameOf(step as never), base: url, depth: 0, identity: 'test' };
  const { records, children } = runStep(definition, place, input, context as never);
  return { records, requests: children.map(({ spec }) => spec) };
}
