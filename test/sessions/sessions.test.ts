// Sessions that have to be opened and expire, and downloads whose address is good for minutes: by the command line, against a
// real server that counts what it is asked for.

import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkArchive } from '../fixtures/check-archive.ts';
import { curlew, resultIn, resumeArguments, runArguments, sortedRecords } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { type RecordOffice, recordFile, recordOffice } from './record-office.ts';

const OFFICE = fileURLToPath(new URL('../fixtures/scrapers/record-office.ts', import.meta.url));
const scratch = scratchDirectory();

function runOffice(office: RecordOffice, ...more: readonly string[]): string[] {
  const files = ['--allow-host', new URL(office.filesUrl).host];
  return [
    ...runArguments(OFFICE, office, scratch('data')),
    ...files,
    ...(more.length > 0 ? more : ['--entry', 'files']),
  ];
}

async function dataOf(run = 'latest'): Promise<unknown[]> {
  return (await sortedRecords(scratch('data'), run)).map((line) => JSON.parse(line).data);
}

describe('a session', () => {
  it('is opened once, its values go into headers, forms and addresses, and its files are saved where they are wanted', async () => {
    const office = await recordOffice();
    const run = await curlew(runOffice(office));
    expect(resultIn(run)).toMatchObject({ exitCode: 0, health: 'ok', requests: { done: 6, pending: 0 }, records: 5 });
    expect(office.countOf('/desk')).toBe(1);
    expect(office.countOf('/ticket')).toBe(5);
    expect(await dataOf()).toContainEqual(
      expect.objectContaining({ id: '3', path: 'named/records/3.pdf', url: '/***' }),
    );
    expect(await readFile(scratch('data', 'files', 'named', 'records', '3.pdf'))).toEqual(recordFile('3'));
    // Opening, list, and two legs for each file: a foreign reader finds nothing wrong with what is written of them.
    expect(await checkArchive(scratch('data'))).toBe(1 + 1 + 2 * 5);
  });

  it('replays offline with the same records and verdicts', async () => {
    const office = await recordOffice();
    await curlew(runOffice(office));
    const asked = office.asked.length;
    const replayed = await curlew(['replay', '1', '--data', scratch('data'), '--json', '--file', OFFICE]);
    expect(resultIn(replayed)).toMatchObject({ exitCode: 0, requests: { done: 6 }, records: 5 });
    expect(await dataOf('2')).toEqual(await dataOf('1'));
    expect(office.asked).toHaveLength(asked);
  });

  it('leaves an archive that verify finds as it was stored', async () => {
    const office = await recordOffice();
    await curlew(runOffice(office));
    const verified = await curlew(['verify', '--data', scratch('data')]);
    expect({ code: verified.code, stdout: verified.stdout }).toMatchObject({ code: 0 });
  });
});

describe('a session that has expired', () => {
  it('in the middle of a run with 32 requests at a time is opened again once', async () => {
    const office = await recordOffice();
    let left = 64;
    // All that are under way at that moment are refused together.
    const pages: (() => void)[] = [];
    office.onRequest = async (path) => {
      if (!path.startsWith('/page/')) return;
      if (--left === 0) office.rotate();
      if (left <= 0 && left > -31) await new Promise<void>((resolve) => pages.push(resolve));
      if (left === -31) for (const answer of pages) answer();
    };
    const run = await curlew(runOffice(office, '--entry', 'pages', '--param', 'count=200', '--concurrency', '32'));
    expect(resultIn(run)).toMatchObject({
      exitCode: 0,
      health: 'ok',
      requests: { done: 200, pending: 0 },
      records: 200,
    });
    expect(office.asked.filter((path) => path.startsWith('/desk'))).toHaveLength(2);
    // Whoever was refused was asked once more, and no one else.
    const refused = office.refused;
    expect(refused).toBeGreaterThanOrEqual(32);
    expect(office.countOf(/^\/page\//)).toBe(200 + refused);
  });

  it('costs the request that hears of it no attempt, and is asked for past a cache', async () => {
    const office = await recordOffice({ records: 2 });
    office.cached = 'a-stale-nonce-of-long-ago';
    const run = await curlew(runOffice(office));
    expect(resultIn(run)).toMatchObject({ exitCode: 0, requests: { done: 3 }, records: 2 });
    expect(office.countOf('/desk')).toBe(1);
    expect(office.countOf(/^\/desk\?t=\w+$/)).toBe(1);
    expect(await attemptsIn()).toEqual([1, 1, 1]);
  });

  it('is told apart from a wrong nonce: of several on the page the right one is found, and kept', async () => {
    const office = await recordOffice();
    office.decoys = ['decoy-one-0001', 'decoy-two-0002'];
    const run = await curlew(runOffice(office, '--entry', 'files', '--concurrency', '8'));
    expect(resultIn(run)).toMatchObject({ exitCode: 0, requests: { done: 6 }, records: 5 });
    // One try with the first, then a new page, then each of its nonces.
    expect(office.countOf('/list')).toBe(4);
    office.rotate();
  });

  it('blocks a request that is told so again, with a reason that names the session', async () => {
    const office = await recordOffice({ records: 1 });
    office.oddly('/ticket', (response) => response.writeHead(200).end('-1'));
    office.oddly('/ticket', (response) => response.writeHead(200).end('-1'));
    const run = await curlew(runOffice(office));
    expect(resultIn(run)).toMatchObject({ exitCode: 1, requests: { done: 1, blocked: 1 } });
    expect(office.countOf('/ticket')).toBe(2);
    expect(office.countOf(/^\/desk/)).toBe(2);
    expect(await reasonsIn()).toEqual(['session desk has expired, also after it was opened anew (status 200)']);
    const replayed = await curlew(['replay', '1', '--data', scratch('data'), '--json', '--file', OFFICE]);
    expect(resultIn(replayed)).toMatchObject({ requests: { done: 1, blocked: 1 } });
    // What was blocked is asked for again by a resume.
    expect(resultIn(await curlew(['resume', '1', '--data', scratch('data'), '--json']))).toMatchObject({
      exitCode: 0,
      requests: { done: 2, blocked: 0 },
    });
  });

  it('is not opened for every request of a site that refuses all of them', async () => {
    const office = await recordOffice();
    office.onRequest = (path) => {
      if (path.startsWith('/page/')) office.rotate();
    };
    const run = await curlew(runOffice(office, '--entry', 'pages', '--param', 'count=40', '--concurrency', '1'));
    expect(resultIn(run)).toMatchObject({ exitCode: 1, requests: { blocked: 40 } });
    expect(office.countOf(/^\/desk/)).toBe(4);
  });

  it('survives a kill and a restart like cookies do', async () => {
    const office = await recordOffice();
    const killed = await curlew(runOffice(office), { env: { CURLEW_CRASH_AT: 'after-commit:2' } });
    expect(killed.signal).toBe('SIGKILL');
    expect(office.countOf('/desk')).toBe(1);
    const resumed = await curlew(resumeArguments(scratch('data')));
    expect(resultIn(resumed)).toMatchObject({ exitCode: 0, requests: { done: 6 }, records: 5 });
    expect(office.asked.filter((path) => path.startsWith('/desk'))).toEqual(['/desk']);
  });
});

describe('a session that cannot be opened', () => {
  it('puts its requests back while the site is down, and goes on when it is up', async () => {
    const office = await recordOffice({ records: 1 });
    office.oddly('/desk', (response) => response.writeHead(503, { 'retry-after': '0' }).end());
    const run = await curlew(runOffice(office));
    expect(resultIn(run)).toMatchObject({ exitCode: 0, requests: { done: 2 } });
    expect(await attemptsIn()).toEqual([1, 1]);
  });

  it.each([
    ['lacks a value', '<div id="desk"></div>', 'session desk: read: it gave no text for nonce'],
    ['is not the page that it was', '<h1>Sorry</h1>', 'session desk: read: it gave no text for nonce'],
  ])('because its page %s, fails its requests with a reason that names it', async (_, html, reason) => {
    const office = await recordOffice({ records: 1 });
    office.oddly('/desk', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html));
    expect(resultIn(await curlew(runOffice(office)))).toMatchObject({ exitCode: 1, requests: { failed: 1 } });
    expect(await reasonsIn()).toEqual([reason]);
  });

  it('because its page is gone, does not make an item absent', async () => {
    const office = await recordOffice({ records: 1 });
    office.oddly('/desk', (response) => response.writeHead(404).end());
    expect(resultIn(await curlew(runOffice(office)))).toMatchObject({
      exitCode: 1,
      requests: { failed: 1, absent: 0 },
    });
    expect(await reasonsIn()).toEqual(['session desk was not opened: 404 Not Found']);
  });
});

describe('a signed download', () => {
  it('asks for a new address once when the address is over, and is blocked when that is over too', async () => {
    const office = await recordOffice({ records: 2 });
    const over = (response: ServerResponse) => response.writeHead(403).end('over');
    for (const reply of [over, over, over]) office.oddly('/file', reply);
    const run = await curlew(runOffice(office, '--entry', 'files', '--concurrency', '1'));
    expect(resultIn(run)).toMatchObject({ exitCode: 1, requests: { done: 2, blocked: 1 } });
    expect(office.countOf('/ticket')).toBe(4);
    expect(office.countOf('/file')).toBe(4);
    expect(await reasonsIn()).toEqual(['the address of the file was refused, also a new one: 403 Forbidden']);
  });

  it('asks for a new address with every attempt', async () => {
    const office = await recordOffice({ records: 1 });
    office.oddly('/file', (response) => response.writeHead(500).end());
    office.oddly('/file', (response) => response.writeHead(200, { 'content-length': '5000' }).end('%PDF-1.4 cut'));
    const run = await curlew(runOffice(office), { preload: HASTY });
    expect(resultIn(run)).toMatchObject({ exitCode: 0, requests: { done: 2 }, records: 1 });
    expect(office.countOf('/ticket')).toBe(3);
    expect(await attemptsIn()).toEqual([1, 3]);
  });

  it('waits for a file that is not ready, and stores nothing of the answer', async () => {
    const office = await recordOffice({ records: 1 });
    const wait = (response: ServerResponse) => response.writeHead(202, { 'retry-after': '1' }).end('soon');
    for (const reply of [wait, wait]) office.oddly('/file', reply);
    const run = await curlew(runOffice(office), { preload: HASTY });
    expect(resultIn(run)).toMatchObject({ exitCode: 0, requests: { done: 2 }, records: 1 });
    expect([office.countOf('/ticket'), office.countOf('/file')]).toEqual([1, 3]);
    expect(await filesIn()).toEqual(['named/records/1.pdf']);
  });

  it('follows a redirect of the address', async () => {
    const office = await recordOffice({ records: 1 });
    office.oddly('/file', (response, request) => response.writeHead(302, { location: `${request.url}&again=1` }).end());
    expect(resultIn(await curlew(runOffice(office)))).toMatchObject({ exitCode: 0, requests: { done: 2 } });
  });

  it('refuses a page that is served in place of the file, and keeps what came', async () => {
    const office = await recordOffice({ records: 1 });
    for (let n = 0; n < 3; n++)
      office.oddly('/file', (response) => response.writeHead(200).end('<!doctype html><h1>Busy</h1>'));
    const run = await curlew(runOffice(office), { preload: HASTY });
    expect(resultIn(run)).toMatchObject({ exitCode: 1, requests: { done: 1, failed: 1 } });
    expect(await reasonsIn()).toEqual(['the file was refused: it is an HTML page, after 3 attempts']);
    const [kept, ...others] = await filesIn();
    expect(others).toEqual([]);
    expect(kept).toMatch(/^rejected\/00000001-[0-9a-f]{8}-file$/);
    expect(await readFile(scratch('data', 'files', kept ?? ''), 'utf8')).toBe('<!doctype html><h1>Busy</h1>');
    const replayed = await curlew(['replay', '1', '--data', scratch('data'), '--json', '--file', OFFICE]);
    expect(resultIn(replayed)).toMatchObject({ requests: { done: 1, failed: 1 } });
    expect((await curlew(['verify', '--data', scratch('data')])).code).toBe(0);
  });

  it('fails when the ticket gives no address', async () => {
    const office = await recordOffice({ records: 1 });
    office.oddly('/ticket', (response) => response.end('{"success":false,"why":"secret-reason-12345"}'));
    expect(resultIn(await curlew(runOffice(office)))).toMatchObject({ exitCode: 1, requests: { done: 1, failed: 1 } });
    const [reason] = await reasonsIn();
    expect(reason).toMatch(/^Office\.fileAddress: The JSON does not fit its schema/);
    expect(reason).not.toContain('12345');
  });

  it('puts a changed file beside the old one', async () => {
    const office = await recordOffice({ records: 1 });
    await curlew(runOffice(office));
    office.oddly('/file', (response) => response.end(recordFile('changed')));
    await curlew(runOffice(office));
    await curlew(runOffice(office));
    expect(await filesIn()).toEqual(['named/records/1.2.pdf', 'named/records/1.pdf']);
    expect(await readFile(scratch('data', 'files', 'named/records/1.pdf'))).toEqual(recordFile('1'));
    expect(await readFile(scratch('data', 'files', 'named/records/1.2.pdf'))).toEqual(recordFile('changed'));
  });
});

const HASTY = fileURLToPath(new URL('../fixtures/hasty-time.ts', import.meta.url));

async function filesIn(): Promise<string[]> {
  const entries = await readdir(scratch('data', 'files'), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(scratch('data', 'files'), join(entry.parentPath, entry.name)))
    .sort();
}

function rowsIn(sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(scratch('data', 'ledger.sqlite'), { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

async function attemptsIn(): Promise<unknown[]> {
  return rowsIn('SELECT attempts FROM requests ORDER BY id').map(({ attempts }) => attempts);
}

async function reasonsIn(): Promise<string[]> {
  return rowsIn('SELECT reason FROM requests WHERE run_id = 1 AND reason IS NOT NULL').map(({ reason }) =>
    String(reason),
  );
}
