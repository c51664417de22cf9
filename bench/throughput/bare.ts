// The yardstick: the least that a crawler must do to fetch, read and remember every page, in one tight loop on the same
// libraries: undici, htmlparser2, css-select with compiled selectors, SQLite with Curlew's settings and size of commit.
// The queue is an array. No archive, no robots, no rate, no resume, no checks.
//   node bench/throughput/bare.ts URL DIRECTORY CONCURRENCY

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { compile, selectAll, selectOne } from 'css-select';
import type { AnyNode, Element } from 'domhandler';
import { DomUtils, parseDocument } from 'htmlparser2';
import { Pool } from 'undici';
import type { CrawlReport } from './contender.ts';

const GROUP = 32;

const [url = '', directory = '', concurrency = '32'] = process.argv.slice(2);
const origin = new URL(url).origin;

const database = new DatabaseSync(join(directory, 'bare.sqlite'));
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA cache_size = -32768;
  CREATE TABLE requests (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, done INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE TABLE records (id INTEGER PRIMARY KEY, request_id INTEGER NOT NULL, data TEXT NOT NULL) STRICT;
`);
const insertRequest = database.prepare('INSERT OR IGNORE INTO requests (url) VALUES (?)');
const insertRecord = database.prepare('INSERT INTO records (request_id, data) VALUES (?, ?)');
const markDone = database.prepare('UPDATE requests SET done = 1 WHERE id = ?');
const findTitle = compile<AnyNode, Element>('title');
const findLinks = compile<AnyNode, Element>('a[href]');

interface Queued {
  readonly id: number;
  readonly url: string;
}

const pool = new Pool(origin, { connections: Number(concurrency), pipelining: 1 });
const queue: Queued[] = [];
let uncommitted = 0;

function enqueue(found: string): void {
  const { changes, lastInsertRowid } = insertRequest.run(found);
  if (changes === 1) queue.push({ id: Number(lastInsertRowid), url: found });
}

function begin(): void {
  if (uncommitted === 0) database.exec('BEGIN IMMEDIATE');
}

function commit(): void {
  if (uncommitted === 0) return;
  database.exec('COMMIT');
  uncommitted = 0;
}

function readPage(html: string): { title: string; links: string[] } {
  const document = parseDocument(html);
  const title = selectOne<AnyNode, Element>(findTitle, document);
  return {
    title: title === null ? '' : DomUtils.textContent(title),
    links: selectAll<AnyNode, Element>(findLinks, document).map((link) => link.attribs.href ?? ''),
  };
}

async function visit(request: Queued): Promise<void> {
  const { body } = await pool.request({ method: 'GET', path: request.url.slice(origin.length) });
  const { title, links } = readPage(await body.text());
  begin();
  insertRecord.run(request.id, JSON.stringify({ title }));
  for (const link of links) enqueue(new URL(link, request.url).href);
  markDone.run(request.id);
  uncommitted++;
  if (uncommitted === GROUP) commit();
}

/** Keeps as many requests in flight as allowed; resolves when there is nothing left. */
function crawl(): Promise<void> {
  return new Promise((resolve, reject) => {
    let inFlight = 0;
    const fill = (): void => {
      while (inFlight < Number(concurrency)) {
        const next = queue.pop();
        if (next === undefined) break;
        inFlight++;
        visit(next).then(() => {
          inFlight--;
          fill();
        }, reject);
      }
      if (inFlight === 0) resolve();
    };
    fill();
  });
}

const begun = performance.now();
enqueue(url);
await crawl();
commit();
const seconds = (performance.now() - begun) / 1000;
const count = (sql: string) => Number(database.prepare(sql).get()?.n);
const report: CrawlReport = {
  pages: count('SELECT count(*) AS n FROM requests WHERE done = 1'),
  records: count('SELECT count(*) AS n FROM records'),
  seconds,
};
database.close();
await pool.close();
process.stdout.write(`${JSON.stringify(report)}\n`);
