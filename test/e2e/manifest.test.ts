// A manifest is checked by those who have no Curlew: `sha256sum` and `openssl` are the real ones.

import { execFile } from 'node:child_process';
import { appendFile, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { segmentName } from '../../src/archive/segment-name.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, runArguments, startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const fixture = (path: string) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
const TOUR = fixture('scrapers/court-tour.ts');
const GRAPH = fixture('scrapers/graph.ts');
const scratch = scratchDirectory();
const call = promisify(execFile);

const manifest = (...more: string[]) => curlew(['manifest', '--data', scratch('data'), ...more]);
const check = (...more: string[]) => manifest('--check', scratch('data', 'manifest.sha256'), ...more);

/** Gives what it says of each file. Rejects when a file is not as the manifest says. */
async function sha256sum(): Promise<string[]> {
  const { stdout } = await call('sha256sum', ['--strict', '-c', 'manifest.sha256'], {
    cwd: scratch('data'),
    env: { ...process.env, LC_ALL: 'C' },
  });
  return stdout.trim().split('\n');
}

async function runTour(): Promise<void> {
  const court = closing(await startCourt({ seed: 3, highest: 60, redirectMissing: [[55, 55]], holes: [[57, 57]] }));
  expect((await curlew(runArguments(TOUR, court, scratch('data')))).code).toBe(0);
}

function firstFile(): string {
  const ledger = new DatabaseSync(scratch('data', 'ledger.sqlite'));
  const row = ledger.prepare('SELECT file_path FROM exchanges WHERE file_path IS NOT NULL LIMIT 1').get();
  ledger.close();
  return String(row?.file_path);
}

async function flip(path: string): Promise<void> {
  const file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, 40);
  await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, 40);
  await file.close();
}

describe('a manifest', () => {
  it('is accepted by sha256sum, and lists every segment and every download once', async () => {
    await runTour();
    const made = await manifest();
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const lines = await sha256sum();
    expect(lines.every((line) => line.endsWith(': OK'))).toBe(true);
    const { stdout } = await call('find', ['archive', 'files', '-type', 'f'], { cwd: scratch('data') });
    expect(lines.map((line) => line.replace(/: OK$/, '')).sort()).toEqual(stdout.trim().split('\n').sort());
    expect(made.stdout).toContain(`${lines.length} files`);
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining('as the manifest says') });
  });

  it('is found to differ by sha256sum and by Curlew alike', async () => {
    await runTour();
    await manifest();
    const file = firstFile();
    await flip(scratch('data', 'archive', segmentName(1)));
    await rm(scratch('data', 'files', file));
    const theirs = await sha256sum().catch((error: { stdout: string }) => error.stdout.trim().split('\n'));
    const bad = theirs.filter((line) => !line.endsWith(': OK'));
    expect(bad.sort()).toEqual([`archive/${segmentName(1)}: FAILED`, `files/${file}: FAILED open or read`]);
    const ours = await check();
    expect(ours.code).toBe(1);
    expect(ours.stdout).toMatch(`changed  archive/${segmentName(1)}\n`);
    expect(ours.stdout).toMatch(`missing  files/${file}\n`);
    const [changed, missing, last] = (await check('--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(changed).toEqual({ kind: 'changed', path: `archive/${segmentName(1)}` });
    expect(missing).toEqual({ kind: 'missing', path: `files/${file}` });
    expect(last).toMatchObject({ ok: false, missing: 1, changed: 1, new: 0 });
  });

  it('names what was fetched since as new', async () => {
    await runTour();
    await manifest();
    await runTour();
    expect(await check()).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(`^new {6}archive/${segmentName(2)}\n`),
    });
    await sha256sum();
  });

  it('does not list a download that has changed, and says so', async () => {
    await runTour();
    const file = firstFile();
    await flip(scratch('data', 'files', file));
    const made = await manifest();
    expect(made).toMatchObject({ code: 1, stderr: expect.stringContaining(`files/${file}`) });
    expect(await readFile(scratch('data', 'manifest.sha256'), 'utf8')).not.toContain(file);
    await sha256sum();
  });

  it('names what lies in the directory and is not in the ledger, and does not list it', async () => {
    await runTour();
    const strays = [
      `archive/${segmentName(99)}`,
      'archive/notes.txt',
      'files/ab/stray.pdf',
      'pdfs/court/stray.pdf',
      'csv/stray.csv',
    ];
    await mkdir(scratch('data', 'files', '.partial'), { recursive: true });
    await writeFile(scratch('data', 'files', '.partial', 'half'), 'stray');
    for (const path of strays) {
      await mkdir(dirname(scratch('data', path)), { recursive: true });
      await writeFile(scratch('data', path), 'stray');
    }
    const made = await manifest();
    expect(made.code).toBe(0);
    for (const path of strays) expect(made.stderr).toContain(`curlew: not in the ledger, left out: ${path}\n`);
    expect(made.stdout).toContain(`${strays.length} left out, as the ledger does not know them`);
    expect(made.stderr).not.toContain('half');
    const listed = await readFile(scratch('data', 'manifest.sha256'), 'utf8');
    expect(listed).not.toMatch(/stray|notes|00000099/);
    await sha256sum();
    const checked = await check();
    expect(checked.code).toBe(1);
    for (const path of strays) expect(checked.stdout).toContain(`unknown  ${path}\n`);
    expect(checked.stdout).not.toContain('there are no others');
    const last = (await check('--json')).stdout.trim().split('\n').at(-1);
    expect(JSON.parse(last ?? '')).toMatchObject({ ok: false, missing: 0, changed: 0, new: 0, unknown: strays.length });
  });

  it('escapes names as sha256sum does', async () => {
    await runTour();
    const file = firstFile();
    const strange = file.replace(/[^/]*$/, 'a\\b\nc\rd  é.pdf');
    await rename(scratch('data', 'files', file), scratch('data', 'files', strange));
    const ledger = new DatabaseSync(scratch('data', 'ledger.sqlite'));
    ledger.prepare('UPDATE exchanges SET file_path = ? WHERE file_path = ?').run(strange, file);
    ledger.close();
    expect((await manifest()).code).toBe(0);
    const theirs = await call('sha256sum', [`files/${strange}`], { cwd: scratch('data') });
    const ours = await readFile(scratch('data', 'manifest.sha256'), 'utf8');
    // Older versions leave a carriage return as it is, and read it either way.
    expect(ours.replace('\\r', '\r')).toContain(theirs.stdout.replace('\\r', '\r'));
    expect((await check()).code).toBe(0);
  });

  it('leaves out what a run is writing to, and says so', async () => {
    await runTour();
    const court = closing(await startCourt({ graphPages: 2_000 }));
    court.setLatency([20, 40]);
    const life = startCurlew(runArguments(GRAPH, court, scratch('data')));
    await Promise.race([court.log.arrival(({ n }) => n >= 60), life.ended]);
    const made = await manifest();
    life.kill('SIGKILL');
    expect((await life.ended).signal).toBe('SIGKILL');
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('run 2 writes to it now') });
    const lines = await sha256sum();
    expect(lines.filter((line) => line.startsWith('archive/'))).toEqual([`archive/${segmentName(1)}: OK`]);
  });

  it('leaves out a segment with the tail of a crash', async () => {
    const court = closing(await startCourt({ graphPages: 2_000 }));
    const life = startCurlew(runArguments(GRAPH, court, scratch('data')));
    await Promise.race([court.log.arrival(({ n }) => n >= 400), life.ended]);
    life.kill('SIGKILL');
    await life.ended;
    await appendFile(scratch('data', 'archive', segmentName(1)), 'half a record');
    const made = await manifest();
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('curlew resume 1 cuts') });
    expect(await readFile(scratch('data', 'manifest.sha256'), 'utf8')).toBe('');
  });

  it('lists the files and indexes of a mirror', async () => {
    const site = closing(await startJudicialKy({ seed: 7, cases: 40 }));
    const env = {
      BAILIIKC_UJ_BASE_URL: site.url,
      BAILIIKC_UJ_FILE_HOSTS: site.boxUrl,
      BAILIIKC_MIN_FREE_MB: '1',
      PLAYWRIGHT_POST_CLICK_SLEEP_SECONDS: '0',
    };
    const more = ['--rate', 'off', '--allow-host', '127.0.0.1', '--data', scratch('data')];
    await curlew(['mirror', 'sync', ...more], { env });
    await curlew(['mirror', 'run', ...more, '--delay', '0'], { env });
    expect((await manifest()).code).toBe(0);
    const lines = await sha256sum();
    expect(lines.filter((line) => line.startsWith('pdfs/')).length).toBe(site.corpus.wanted('v1').length);
    expect(lines.filter((line) => line.startsWith('csv/')).length).toBeGreaterThan(0);
  });
});

describe('a signed manifest', () => {
  async function makeKeys(): Promise<void> {
    await call('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', scratch('key.pem')]);
    await call('openssl', ['pkey', '-in', scratch('key.pem'), '-pubout', '-out', scratch('public.pem')]);
  }
  const opensslAccepts = () => {
    const file = scratch('data', 'manifest.sha256');
    const how = [
      '-verify',
      '-pubin',
      '-inkey',
      scratch('public.pem'),
      '-rawin',
      '-in',
      file,
      '-sigfile',
      `${file}.sig`,
    ];
    return call('openssl', ['pkeyutl', ...how]).then(
      () => true,
      () => false,
    );
  };

  it('is accepted by openssl and by Curlew, and not after a change', async () => {
    await runTour();
    await makeKeys();
    expect((await manifest('--key', scratch('key.pem'))).code).toBe(0);
    expect(await opensslAccepts()).toBe(true);
    expect(await check('--public-key', scratch('public.pem'))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The signature is of this key.'),
    });
    const file = scratch('data', 'manifest.sha256');
    await writeFile(file, (await readFile(file, 'utf8')).split('\n').slice(1).join('\n'));
    expect(await opensslAccepts()).toBe(false);
    expect(await check('--public-key', scratch('public.pem'))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('The signature is not'),
    });
  });

  it('needs an Ed25519 key, and says how to make one', async () => {
    await runTour();
    await call('openssl', [
      'genpkey',
      '-algorithm',
      'RSA',
      '-pkeyopt',
      'rsa_keygen_bits:2048',
      '-out',
      scratch('rsa.pem'),
    ]);
    for (const key of ['rsa.pem', 'none.pem']) {
      const refused = await manifest('--key', scratch(key));
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('openssl genpkey -algorithm ed25519') });
    }
  });
});
