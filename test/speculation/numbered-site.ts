// A site of numbered pages and a scraper that walks over them: what the tests of speculation stand on.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  get,
  type Page,
  type RunHandle,
  type RunOptions,
  type RunSummary,
  record,
  resume,
  run,
  Scraper,
  type SettingsInput,
  type SpeculateOptions,
  speculate,
} from 'curlew';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { htmlReply, type Reply, statusReply } from '../../sim/reply.ts';
import { type Site, type SiteOptions, startSite } from '../../sim/site.ts';

/** The page of an id that exists. */
export function casePage(id: number): Reply {
  return htmlReply(200, `<h1>Case ${id}</h1><p class="id">${id}</p>`);
}

export const notFound: Reply = statusReply(404);
export const softNotFound: Reply = htmlReply(200, '<h1>Case not found</h1>');

export interface NumberedSite extends Site {
  /** The ids that were asked for, in the order of arrival. */
  asked(): number[];
}

/** A site with a page at `/id/N` for every number, positive or not: `answer` says which. It ends with the test. */
export async function startNumbers(
  answer: (id: number) => Reply,
  options: SiteOptions & { others?: (path: string) => Reply } = {},
): Promise<NumberedSite> {
  const site = await startSite(({ pathname }) => {
    const id = idOf(pathname);
    return id === undefined ? (options.others?.(pathname) ?? notFound) : answer(id);
  }, options);
  onTestFinished(() => site.close());
  return Object.assign(site, { asked: () => site.log.entries.flatMap(({ path }) => idOf(path) ?? []) });
}

function idOf(path: string): number | undefined {
  const [, id] = /^\/id\/(-?\d+)$/.exec(path) ?? [];
  return id === undefined ? undefined : Number(id);
}

export const Case = z.object({ id: z.int() });

/** A scraper with one speculator, `byId`. */
export function numbered(options: SpeculateOptions) {
  return class Numbered extends Scraper {
    baseUrl = 'http://127.0.0.1:1';
    byId = speculate(options, (id) => get(`/id/${id}`, this.readCase));

    *readCase(page: Page) {
      yield record('case', Case, { id: Number(page.text('.id')) });
    }
  };
}

/** Ids from `first` to `last`, both included. */
export function ids(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

export const ascending = (one: number, other: number) => one - other;

export interface Result {
  readonly summary: RunSummary;
  /** Ids of the records of the kind `case`, ascending. */
  readonly found: readonly number[];
  /** All records as `kind data`, sorted. */
  readonly records: readonly string[];
}

export async function resultOf(handle: RunHandle): Promise<Result> {
  const records: { kind: string; data: unknown }[] = [];
  for await (const { kind, data } of handle.records) records.push({ kind, data });
  const found = records.filter(({ kind }) => kind === 'case').map(({ data }) => (data as { id: number }).id);
  return {
    summary: await handle.summary,
    found: found.sort(ascending),
    records: records.map(({ kind, data }) => `${kind} ${JSON.stringify(data)}`).sort(),
  };
}

/** A directory that ends with the test. */
export async function newData(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'curlew-speculation-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  return data;
}

/** Settings for a run on a simulated site, as fast as it can. */
export function settingsFor(site: Site): SettingsInput {
  return { baseUrl: site.url, allowHosts: [new URL(site.url).host], rate: 'off', robots: 'off' };
}

export async function walk(
  scraper: Scraper,
  site: Site,
  settings: Omit<RunOptions, 'data'> = {},
  data?: string,
): Promise<Result> {
  return resultOf(run(scraper, { ...settingsFor(site), ...settings, data: data ?? (await newData()) }));
}

export async function walkOn(scraper: Scraper, data: string): Promise<Result> {
  return resultOf(resume(scraper, { data, run: 'latest' }));
}
