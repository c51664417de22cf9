// What the walk over a start page has collected, page by page, and the list pages it has seen.

import type { Database } from '../database.ts';
import type { StartPageId } from './partial-run-table.ts';

/** A list page that was read. */
export interface NewListPage {
  /** As it was asked for. */
  readonly url: string;
  /** As it was answered, after redirects. */
  readonly landedUrl: string;
  /** Its number in the list, from 1. */
  readonly page: number;
  /** Of the items on it. */
  readonly fingerprint: Uint8Array;
  /** How many they are. */
  readonly items: number;
  readonly nextText: string | undefined;
  readonly hasHtmlEnd: boolean;
}

export type StoredListPage = Pick<NewListPage, 'url' | 'fingerprint' | 'nextText'>;

/** Where items stand that no walk of ours has collected. */
const NO_PAGE = 0;

export class CollectedUrlTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds URLs behind those there are. `page` is the page they stood on. */
  append(startPage: StartPageId, urls: readonly string[], page: number): void {
    const first = this.#database
      .prepare('SELECT coalesce(max(ordinal) + 1, 0) AS next FROM collected_urls WHERE start_page_id = ?')
      .get(startPage)?.next;
    const insert = this.#database.prepare(
      'INSERT INTO collected_urls (start_page_id, ordinal, url, page) VALUES (?, ?, ?, ?)',
    );
    for (const [index, url] of urls.entries()) insert.run(startPage, Number(first) + index, url, page);
  }

  /** Puts `urls` in the place of all there are. */
  replace(startPage: StartPageId, urls: readonly string[]): void {
    this.#database.prepare('DELETE FROM collected_urls WHERE start_page_id = ?').run(startPage);
    this.append(startPage, urls, NO_PAGE);
  }

  /** In the order they were collected. */
  *of(startPage: StartPageId): Generator<string> {
    const rows = this.#database.prepare('SELECT url FROM collected_urls WHERE start_page_id = ? ORDER BY ordinal');
    for (const row of rows.iterate(startPage)) yield String(row.url);
  }

  /** Those of `urls` that have not been collected yet. */
  newAmong(startPage: StartPageId, urls: readonly string[]): string[] {
    const known = this.#database.prepare('SELECT 1 FROM collected_urls WHERE start_page_id = ? AND url = ?');
    return urls.filter((url) => known.get(startPage, url) === undefined);
  }

  /** The number of the list page that was asked for at that address, or answered from it. */
  pageAt(startPage: StartPageId, url: string): number | undefined {
    const row = this.#database
      .prepare('SELECT min(page) AS page FROM list_pages WHERE start_page_id = ?1 AND (url = ?2 OR landed_url = ?2)')
      .get(startPage, url);
    return readNumber(row?.page);
  }

  /** The number of the latest list page with just these items. */
  pageWith(startPage: StartPageId, fingerprint: Uint8Array): number | undefined {
    const row = this.#database
      .prepare('SELECT max(page) AS page FROM list_pages WHERE start_page_id = ? AND fingerprint = ?')
      .get(startPage, fingerprint);
    return readNumber(row?.page);
  }

  /** The list page of that number. */
  page(startPage: StartPageId, page: number): StoredListPage | undefined {
    const row = this.#database
      .prepare('SELECT url, fingerprint, next_text FROM list_pages WHERE start_page_id = ? AND page = ?')
      .get(startPage, page);
    if (row === undefined) return undefined;
    const nextText = row.next_text === null ? undefined : String(row.next_text);
    return { url: String(row.url), fingerprint: row.fingerprint as Uint8Array, nextText };
  }

  /** Whether any list page of that site had the end of an HTML document. */
  hasHtmlEnd(site: string): boolean {
    const row = this.#database.prepare(
      `SELECT 1 FROM list_pages JOIN start_pages ON start_pages.id = start_page_id
       WHERE site_id = ? AND has_html_end = 1 LIMIT 1`,
    );
    return row.get(site) !== undefined;
  }

  addPage(startPage: StartPageId, page: NewListPage): void {
    const { url, fingerprint, page: number, items, landedUrl, nextText, hasHtmlEnd } = page;
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO list_pages
         (start_page_id, url, fingerprint, page, items, landed_url, next_text, has_html_end) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(startPage, url, fingerprint, number, items, landedUrl, nextText ?? null, hasHtmlEnd ? 1 : 0);
  }

  /** Forgets the pages of a list from that number on, with their items. Gives how many items stood on those before. */
  dropFrom(startPage: StartPageId, page: number): number {
    this.#database.prepare('DELETE FROM collected_urls WHERE start_page_id = ? AND page >= ?').run(startPage, page);
    this.#database.prepare('DELETE FROM list_pages WHERE start_page_id = ? AND page >= ?').run(startPage, page);
    const row = this.#database.prepare(
      'SELECT coalesce(sum(items), 0) AS items FROM list_pages WHERE start_page_id = ?',
    );
    return Number(row.get(startPage)?.items);
  }

  /** Forgets all that a walk has collected and seen. */
  clear(startPage: StartPageId): void {
    this.#database.prepare('DELETE FROM collected_urls WHERE start_page_id = ?').run(startPage);
    this.#database.prepare('DELETE FROM list_pages WHERE start_page_id = ?').run(startPage);
  }
}

function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
