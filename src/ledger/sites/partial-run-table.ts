// Partial runs and how far each of their start pages has been walked. What was collected is in collected-url-table.ts.

import type { Instant } from '../../platform/clock.ts';
import type { Json } from '../../platform/json.ts';
import type { Database } from '../database.ts';
import { readJson, requireJson } from '../stored-json.ts';

/** The number of a start page in its data directory. */
export type StartPageId = number & { readonly brand: 'StartPageId' };

export interface PaginationFailure {
  readonly at: Instant;
  /** The proxy's name; empty when there was none. */
  readonly proxy: string;
  readonly error: string;
}

/** How far a start page has been walked. */
export interface StartPage {
  readonly id: StartPageId;
  /** Its place among the start pages of the site. */
  readonly ordinal: number;
  readonly url: string;
  /** The walk ran to its end, whatever it found. */
  readonly completed: boolean;
  readonly failureCount: number;
  /** List pages that were read. */
  readonly pages: number;
  /** Items that stood on them. */
  readonly listed: number;
  /** How many items there are, as the site says. */
  readonly statedTotal: number | undefined;
  /** Where the walk goes on; undefined when it is over. */
  readonly nextUrl: string | undefined;
  /** How the walk ended, or why it is not complete. */
  readonly reason: string | undefined;
  /** How the walk ended, while its pages are read a second time; undefined before and after. */
  readonly ended: string | undefined;
  /** Pages that were read a second time and had not changed. */
  readonly rechecked: number;
  /** How often a page had changed when it was read a second time. */
  readonly differed: number;
  /** How many URLs were collected. */
  readonly urls: number;
}

export type StartPageProgress = Omit<StartPage, 'id' | 'ordinal' | 'url' | 'failureCount' | 'urls'>;

/** A walk over the start pages of a site that is not yet a run. */
export interface StoredPartialRun {
  readonly siteId: string;
  readonly createdAt: Instant;
  readonly settings: Json;
  /** A hash of how its lists are read; undefined when a program walks them, or an earlier version of Curlew did. */
  readonly definition: string | undefined;
  /** In the order of the site. */
  readonly startPages: readonly StartPage[];
}

/** Failures that are kept of one start page: the latest. */
const MOST_FAILURES = 100;

export class PartialRunTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Begins a partial run, unless there is one. */
  begin(site: string, now: Instant): void {
    this.#database
      .prepare(`INSERT OR IGNORE INTO partial_runs (site_id, created_at, settings) VALUES (?, ?, '{}')`)
      .run(site, now);
  }

  saveSettings(site: string, settings: Json): void {
    this.#database
      .prepare('UPDATE partial_runs SET settings = ? WHERE site_id = ?')
      .run(JSON.stringify(settings), site);
  }

  saveDefinition(site: string, definition: string): void {
    this.#database.prepare('UPDATE partial_runs SET definition = ? WHERE site_id = ?').run(definition, site);
  }

  /** Makes `urls` the start pages of a site. Those that are there already keep their progress. */
  setStartPages(site: string, urls: readonly string[]): void {
    const known = new Map(this.startPagesOf(site).map((page) => [page.url, page.id]));
    for (const [url, id] of known) {
      if (!urls.includes(url)) this.#database.prepare('DELETE FROM start_pages WHERE id = ?').run(id);
    }
    for (const [ordinal, url] of urls.entries()) {
      this.#database
        .prepare(
          `INSERT INTO start_pages (site_id, ordinal, url, next_url) VALUES (?, ?, ?, ?)
           ON CONFLICT (site_id, url) DO UPDATE SET ordinal = excluded.ordinal`,
        )
        .run(site, ordinal, url, url);
    }
  }

  find(site: string): StoredPartialRun | undefined {
    const row = this.#database.prepare('SELECT * FROM partial_runs WHERE site_id = ?').get(site);
    if (row === undefined) return undefined;
    return {
      siteId: site,
      createdAt: Number(row.created_at),
      settings: readJson(row.settings),
      definition: row.definition === null ? undefined : String(row.definition),
      startPages: this.startPagesOf(site),
    };
  }

  /** The sites that have a partial run, the oldest first. */
  sites(): string[] {
    const rows = this.#database.prepare('SELECT site_id FROM partial_runs ORDER BY created_at, site_id').all();
    return rows.map((row) => String(row.site_id));
  }

  startPagesOf(site: string): StartPage[] {
    return this.#database
      .prepare(`SELECT *, ${URL_COUNT} AS urls FROM start_pages WHERE site_id = ? ORDER BY ordinal`)
      .all(site)
      .map(readStartPage);
  }

  /** The start pages of that address, over all sites. */
  startPagesAt(url: string): { readonly siteId: string; readonly page: StartPage }[] {
    return this.#database
      .prepare(`SELECT *, ${URL_COUNT} AS urls FROM start_pages WHERE url = ? ORDER BY site_id`)
      .all(url)
      .map((row) => ({ siteId: String(row.site_id), page: readStartPage(row) }));
  }

  setProgress(id: StartPageId, progress: StartPageProgress): void {
    const { completed, pages, listed, statedTotal = null, nextUrl = null, reason = null, ended = null } = progress;
    const { rechecked, differed } = progress;
    this.#database
      .prepare(
        `UPDATE start_pages SET completed = ?, pages = ?, listed = ?, stated_total = ?, next_url = ?, reason = ?,
         ended = ?, rechecked = ?, differed = ? WHERE id = ?`,
      )
      .run(completed ? 1 : 0, pages, listed, statedTotal, nextUrl, reason, ended, rechecked, differed, id);
  }

  setFailureCount(id: StartPageId, count: number): void {
    this.#database.prepare('UPDATE start_pages SET failure_count = ? WHERE id = ?').run(count, id);
  }

  /** Keeps a failure; beyond a hundred of one start page the oldest go. */
  addFailure(id: StartPageId, { at, proxy, error }: PaginationFailure): void {
    this.#database
      .prepare('INSERT INTO pagination_failures (start_page_id, at, proxy, error) VALUES (?, ?, ?, ?)')
      .run(id, at, proxy, error);
    this.#database
      .prepare(
        `DELETE FROM pagination_failures WHERE start_page_id = ?1 AND id NOT IN
         (SELECT id FROM pagination_failures WHERE start_page_id = ?1 ORDER BY id DESC LIMIT ${MOST_FAILURES})`,
      )
      .run(id);
  }

  dropFailures(id: StartPageId): void {
    this.#database.prepare('DELETE FROM pagination_failures WHERE start_page_id = ?').run(id);
  }

  /** Oldest first. */
  failuresOf(id: StartPageId): PaginationFailure[] {
    return this.#database
      .prepare('SELECT at, proxy, error FROM pagination_failures WHERE start_page_id = ? ORDER BY id')
      .all(id)
      .map((row) => ({ at: Number(row.at), proxy: String(row.proxy), error: String(row.error) }));
  }

  /** The cookies of a walk, as they were saved. */
  cookiesOf(site: string): Json {
    const row = this.#database.prepare('SELECT cookies FROM partial_runs WHERE site_id = ?').get(site);
    return row === undefined ? {} : requireJson(row.cookies, `cookies of the walk of ${site}`);
  }

  saveCookies(site: string, cookies: Json): void {
    this.#database.prepare('UPDATE partial_runs SET cookies = ? WHERE site_id = ?').run(JSON.stringify(cookies), site);
  }

  /** Clears a partial run with all that belongs to it. */
  remove(site: string): void {
    this.#database.prepare('DELETE FROM partial_runs WHERE site_id = ?').run(site);
  }
}

const URL_COUNT = '(SELECT count(*) FROM collected_urls WHERE start_page_id = start_pages.id)';

function readStartPage(row: Record<string, unknown>): StartPage {
  return {
    id: row.id as StartPageId,
    ordinal: Number(row.ordinal),
    url: String(row.url),
    completed: row.completed === 1,
    failureCount: Number(row.failure_count),
    pages: Number(row.pages),
    listed: Number(row.listed),
    statedTotal: row.stated_total === null ? undefined : Number(row.stated_total),
    nextUrl: row.next_url === null ? undefined : String(row.next_url),
    reason: row.reason === null ? undefined : String(row.reason),
    ended: row.ended === null ? undefined : String(row.ended),
    rechecked: Number(row.rechecked),
    differed: Number(row.differed),
    urls: Number(row.urls),
  };
}
