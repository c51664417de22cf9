// No secret of a session or of a signed address is written anywhere but to the table `sessions`, whatever goes wrong: every file
// of the data directory is searched for every nonce, cookie, ticket and address that the site ever gave.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { curlew, type Ended, resultIn, resumeArguments, runArguments } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { type RecordOffice, recordOffice } from './record-office.ts';

const OFFICE = fileURLToPath(new URL('../fixtures/scrapers/record-office.ts', import.meta.url));
const HASTY = fileURLToPath(new URL('../fixtures/hasty-time.ts', import.meta.url));
const scratch = scratchDirectory();

function runOffice(office: RecordOffice, ...more: readonly string[]): string[] {
  const files = ['--allow-host', new URL(office.filesUrl).host];
  return [...runArguments(OFFICE, office, scratch('data')), ...files, ...more];
}

/** Every file of the data directory, unzipped. The table that may hold secrets is emptied first, and the ledger rewritten. */
async function everythingStored(options: { readonly keepsLog?: boolean } = {}): Promise<Map<string, string>> {
  const stored = new Map<string, string>();
  const entries = await readdir(scratch('data'), { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if (!options.keepsLog && /ledger\.sqlite/.test(entry.name)) continue;
    const bytes = await readFile(path);
    stored.set(path, (entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1'));
  }
  return stored;
}

/** All rows of all tables but `sessions`. */
function everyRow(): string {
  const database = new DatabaseSync(scratch('data', 'ledger.sqlite'), { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return tables
      .map(({ name }) => String(name))
      .filter((name) => name !== 'sessions')
      .map(
        (name) =>
          `${name}: ${JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all(), (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value))}`,
      )
      .join('\n');
  } finally {
    database.close();
  }
}

/** Removes the rows that may hold secrets, and every trace of them in the file. */
function emptySessions(): void {
  const database = new DatabaseSync(scratch('data', 'ledger.sqlite'));
  database.exec('PRAGMA secure_delete = ON; DELETE FROM sessions; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

async function expectNoSecrets(office: RecordOffice, outputs: readonly Ended[]): Promise<void> {
  expect(office.secrets.size).toBeGreaterThan(5);
  const found: string[] = [];
  const look = (place: string, text: string) => {
    for (const secret of office.secrets)
      if (text.includes(secret)) found.push(`${place}: ${secret} ${excerpt(text, secret)}`);
  };
  look('rows', everyRow());
  for (const [index, { stdout, stderr }] of outputs.entries()) look(`output ${index}`, stdout + stderr);
  for (const [path, text] of await everythingStored()) look(path, text);
  // The file itself, once the one table is gone: free pages and the log of SQLite are part of it.
  emptySessions();
  for (const [path, text] of await everythingStored({ keepsLog: true })) look(path, text);
  expect(found).toEqual([]);
}

function excerpt(text: string, secret: string): string {
  const at = text.indexOf(secret);
  return JSON.stringify(text.slice(Math.max(0, at - 80), at + 60));
}

describe('secrets', () => {
  it('of a run that goes well, its replay and its exports are stored nowhere but with the sessions', async () => {
    const office = await recordOffice();
    const data = ['--data', scratch('data')];
    const outputs = [
      await curlew(runOffice(office)),
      await curlew(runOffice(office, '--entry', 'pages', '--param', 'count=5')),
      await curlew(['replay', '1', ...data, '--file', OFFICE]),
      await curlew(['export', '1', ...data, '--format', 'warc', '-o', scratch('data', 'export.warc.gz')]),
      await curlew(['export', '1', ...data, '--format', 'csv', '-o', scratch('data', 'export.csv')]),
      await curlew(['show', '1', ...data]),
      await curlew(['records', '1', ...data]),
      await curlew(['verify', ...data]),
    ];
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    await expectNoSecrets(office, outputs);
  });

  it('are found by this search: the table that may hold them does', async () => {
    const office = await recordOffice({ records: 1 });
    await curlew(runOffice(office, '--entry', 'files'));
    const ledger = (await everythingStored({ keepsLog: true })).get(scratch('data', 'ledger.sqlite')) ?? '';
    expect([...office.secrets].some((secret) => ledger.includes(secret))).toBe(true);
  });

  it('of requests that fail in every way are stored nowhere', async () => {
    const office = await recordOffice({ records: 12 });
    const echo = `<html>you asked for %URL% with ${office.nonce}</html>`;
    for (const status of [403, 403, 404, 500, 302, 200, 202]) {
      office.oddly('/file', (response, { url = '', headers }) => {
        const here = `http://${headers.host}${url}`;
        response
          .writeHead(status, {
            location: `${url}&s=${status}`,
            link: here,
            'x-address': here,
            refresh: `1; url=${here}`,
            'set-cookie': `box=${url.slice(3, 27)}`,
          })
          .end(echo.replace('%URL%', url));
      });
    }
    office.oddly('/file', (response) => response.writeHead(200).end(`<html>Welcome back, ${office.nonce}</html>`));
    office.oddly('/file', (response) => response.socket?.destroy());
    office.oddly('/file', (response) => {
      response.writeHead(200, { 'content-length': '99999' }).write('%PDF-1.4');
      setTimeout(() => response.socket?.destroy(), 50);
    });
    office.oddly('/ticket', (response) => response.end(`{"url":"https://%%${office.nonce}"}`));
    office.oddly('/ticket', (response) => response.end(`{"url": ${office.nonce}`));
    office.oddly('/ticket', (response) => response.end(`{"success":true,"url":"ftp://127.0.0.1/${office.nonce}"}`));
    office.oddly('/ticket', (response) => response.socket?.destroy());
    office.oddly('/ticket', (response) => response.writeHead(500).end(office.nonce));
    office.oddly('/list', (response, { headers }) => {
      response.writeHead(302, { location: `/list?again=${headers['x-nonce']}` }).end();
    });
    const outputs = [
      await curlew(runOffice(office), { preload: HASTY }),
      await curlew(resumeArguments(scratch('data')), { preload: HASTY }),
    ];
    expect(resultIn(outputs[0] as Ended).requests).toMatchObject({ pending: 0 });
    expect(resultIn(outputs[0] as Ended).requests.failed).toBeGreaterThan(1);
    await expectNoSecrets(office, outputs);
  });

  it.each(['after-fetch:3', 'after-archive:2', 'before-commit:3', 'after-commit:2'])(
    'of a run that is killed (%s) and resumed are stored nowhere',
    async (crashAt) => {
      const office = await recordOffice();
      const outputs = [await curlew(runOffice(office), { env: { CURLEW_CRASH_AT: crashAt } })];
      expect(outputs[0]?.signal).toBe('SIGKILL');
      // The log of SQLite is there as the process left it.
      expect(everyRow()).not.toMatch(new RegExp([...office.secrets].join('|')));
      office.rotate();
      outputs.push(await curlew(resumeArguments(scratch('data'))));
      expect(outputs[1]?.code).toBe(0);
      await expectNoSecrets(office, outputs);
    },
  );
});
