// A court on a loopback port: numbered cases, lists, search, PDFs, a JSON API, robots.txt, and pages for crawls.
// What it serves follows from its options alone; the expected… functions say what a perfect scraper would find.

import type { Handler } from '../reply.ts';
import { type Site, type SiteOptions, startSite } from '../site.ts';
import { type CaseList, CaseLists, defaultLists } from './case-lists.ts';
import type { CaseRecord } from './case-record.ts';
import { courtHandler, documentBytes } from './court-handler.ts';
import { Docket, type DocketOptions } from './docket.ts';
import { graphPath } from './graph.ts';
import { Search } from './search.ts';

const DEFAULT_ROBOTS = 'User-agent: *\nDisallow: /private/\n';

export interface CourtOptions extends DocketOptions {
  /** Default: `civil` and `criminal`, the newest 240 cases of each (12 pages of 20 when there are as many). */
  readonly lists?: readonly CaseList[];
  /** Text of robots.txt; null: there is none (404). Default: all but `/private/`. */
  readonly robots?: string | null;
  /** Number of pages under `/graph/`. Default 2,000. */
  readonly graphPages?: number;
}

interface ExpectedDocument {
  readonly path: string;
  /** Number of the case it belongs to. */
  readonly number: string;
  readonly body: Buffer;
}

export interface Court {
  readonly handler: Handler;
  /** The public cases, by ascending id. */
  expectedCases(): CaseRecord[];
  /** The PDFs of the public cases. */
  expectedDocuments(): ExpectedDocument[];
  /** The cases of a list in its order, without what its quirks do to it. Empty for an unknown list. */
  expectedList(name: string): CaseRecord[];
  /** Paths of all pages that can be reached from `/graph/0`. */
  expectedGraph(): string[];
  /** Adds a list or replaces the one of that name, and starts its count of requests anew. */
  setList(list: CaseList): void;
  /** Replaces robots.txt; null removes it. */
  setRobots(text: string | null): void;
}

export interface RunningCourt extends Court, Site {}

/** The court as a function, without a server. */
export function createCourt(options: CourtOptions = {}): Court {
  const { seed = 1, graphPages = 2_000 } = options;
  const docket = new Docket(options);
  const lists = new CaseLists(docket, options.lists ?? defaultLists(docket));
  let robots = options.robots === undefined ? DEFAULT_ROBOTS : options.robots;
  const records = (ids: readonly number[]) => ids.map((id) => docket.record(id));
  const expectedCases = () => records(docket.publicIds());
  return {
    handler: courtHandler({ docket, lists, search: new Search(docket, seed), graphPages, robots: () => robots }),
    expectedCases,
    expectedDocuments: () => expectedCases().flatMap((record) => documentsOf(docket, record)),
    expectedList: (name) => records(lists.cases(name)),
    expectedGraph: () => Array.from({ length: graphPages }, (_, n) => graphPath(n)),
    setList: (list) => lists.set(list),
    setRobots: (text) => {
      robots = text;
    },
  };
}

/** A court on a port. Whoever starts it closes it. */
export async function startCourt(options: CourtOptions & SiteOptions = {}): Promise<RunningCourt> {
  const court = createCourt(options);
  const site = await startSite(court.handler, options);
  return {
    ...court,
    url: site.url,
    controlUrl: site.controlUrl,
    log: site.log,
    faults: site.faults,
    stats: () => site.stats(),
    setLatency: (latencyMs) => site.setLatency(latencyMs),
    close: () => site.close(),
  };
}

function documentsOf(docket: Docket, { number, documents }: CaseRecord): ExpectedDocument[] {
  return documents.flatMap((path) => {
    const body = documentBytes(docket, path);
    return body === undefined ? [] : [{ path, number, body }];
  });
}
