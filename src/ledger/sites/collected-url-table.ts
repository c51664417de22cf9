// What the walk over a start page has collected, page by page, and the list pages it has seen.

import type { Database } from '../database.ts';
import type { StartPageId } from './partial-run-table.ts';

export class CollectedUrlTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds URLs behind those there are. */
  append(startPage: StartPageId, urls: readonly string[]): void {
    const first = this.#database
      .prepare('SELECT coalesce(max(ordinal) + 1, 0) AS next FROM collected_urls WHERE start_page_id = ?')
      .get(startPage)?.next;
    const insert = this.#database.prepare('INSERT INTO collected_urls (start_page_id, ordinal, url) VALUES (?, ?, ?)');
    for (const [index, url] of urls.entries()) insert.run(startPage, Number(first) + index, url);
  }

  /** Puts `urls` in the place of all there are. */
  replace(startPage: StartPageId, urls: readonly string[]): void {
    this.#database.prepare('DELETE FROM collected_urls WHERE start_page_id = ?').run(startPage);
    this.append(startPage, urls);
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

  /** Whether a list page of that address was read. */
  hasPage(startPage: StartPageId, url: string): boolean {
    const row = this.#database.prepare('SELECT 1 FROM list_pages WHERE start_page_id = ? AND url = ?');
    return row.get(startPage, url) !== undefined;
  }

  /** Whether a list page with just these items was read. */
  hasFingerprint(startPage: StartPageId, fingerprint: Uint8Array): boolean {
    const row = this.#database.prepare('SELECT 1 FROM list_pages WHERE start_page_id = ? AND fingerprint = ?');
    return row.get(startPage, fingerprint) !== undefined;
  }

  addPage(startPage: StartPageId, url: string, fingerprint: Uint8Array): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO list_pages (start_page_id, url, fingerprint) VALUES (?, ?, ?)')
      .run(startPage, url, fingerprint);
  }

  /** Forgets all that a walk has collected and seen. */
  clear(startPage: StartPageId): void {
    this.#database.prepare('DELETE FROM collected_urls WHERE start_page_id = ?').run(startPage);
    this.#database.prepare('DELETE FROM list_pages WHERE start_page_id = ?').run(startPage);
  }
}
