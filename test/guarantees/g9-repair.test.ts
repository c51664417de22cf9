// G9: what is damaged is fetched again, as the same request and politely; what cannot be repaired stays a finding.

import { existsSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type CourtOptions, type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { segmentName } from '../../src/archive/segment-name.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, type Ended, runArguments, sortedRecords, startCurlew } from '../fixtures/curlew-process.ts';
import { listening } from '../fixtures/listening.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const fixture = (path: string) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
const scratch = scratchDirectory();

const verify = (...more: string[]) => curlew(['verify', '--data', scratch('data'), ...more]);
const repair = (...more: string[]) => verify('--repair', '--json', ...more);

function query(sql: string): Record<string, unknown>[] {
  const ledger = new DatabaseSync(scratch('data', 'ledger.sqlite'));
  try {
    return ledger.prepare(sql).all();
  } finally {
    ledger.close();
  }
}

/** Flips a bit in the middle of the response of each exchange that fits, and gives their addresses. */
async function damage(which: string): Promise<string[]> {
  const rows = query(`SELECT url, segment_id, response_offset, response_length FROM exchanges WHERE ${which}`);
  expect(rows).not.toEqual([]);
  for (const row of rows) {
    const file = await open(scratch('data', 'archive', segmentName(Number(row.segment_id))), 'r+');
    const at = Number(row.response_offset) + (Number(row.response_length) >> 1);
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, at);
    await file.write(Buffer.from([(byte[0] ?? 0) ^ 0x10]), 0, 1, at);
    await file.close();
  }
  return rows.map(({ url }) => String(url));
}

async function runTour(options: CourtOptions = {}): Promise<RunningCourt> {
  const court = closing(
    await startCourt({ seed: 3, highest: 60, redirectMissing: [[55, 55]], holes: [[57, 57]], ...options }),
  );
  const ended = await curlew(runArguments(fixture('scrapers/court-tour.ts'), court, scratch('data')));
  expect(ended.code).toBe(0);
  return court;
}

/** The lines of `--json` after the findings. */
function repairsIn({ stdout }: Ended): Record<string, unknown>[] {
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return lines.slice(lines.findIndex((line) => 'exchanges' in line) + 1);
}

const kindsIn = (ended: Ended) => repairsIn(ended).map(({ kind }) => kind);

/** Pages and files without robots.txt. */
const askedSince = (court: RunningCourt, n: number) =>
  court.log
    .since(n)
    .map(({ path }) => path)
    .filter((path) => path !== '/robots.txt');

describe('a repair', () => {
  it('fetches damaged pages again, changes no record, and leaves nothing to repair', async () => {
    const court = await runTour();
    const records = await sortedRecords(scratch('data'));
    const urls = await damage("url GLOB '*/case/*' AND status = 200 AND revisit_of IS NULL AND id % 3 = 0");
    expect((await verify()).code).toBe(1);
    const before = court.log.entries.length;

    const planned = await repair('--dry-run');
    expect(planned.code).toBe(1);
    for (const url of urls) expect(planned.stdout).toContain(`"kind":"would_fetch","url":"${url}"`);
    expect(askedSince(court, before)).toEqual([]);

    const repaired = await repair();
    expect(repaired.stderr).not.toContain('unexpected');
    expect(repaired.code).toBe(0);
    expect(askedSince(court, before).sort()).toEqual(urls.map((url) => new URL(url).pathname).sort());
    expect((await verify()).code).toBe(0);
    expect(await sortedRecords(scratch('data'))).toEqual(records);
    expect(query('SELECT status, run_health FROM runs')).toEqual([{ status: 'completed', run_health: 'ok' }]);
    expect(query('SELECT count(*) AS n FROM exchanges WHERE lost IS NOT NULL AND replaced_by IS NOT NULL')).toEqual([
      { n: urls.length },
    ]);
    const replayed = await curlew(['replay', '1', '--data', scratch('data'), '--json', '--diff'], {
      preload: fixture('no-network.ts'),
    });
    expect(replayed.code).toBe(0);

    const after = court.log.entries.length;
    expect((await repair()).code).toBe(0);
    expect(court.log.since(after)).toEqual([]);
  });

  it('of a request whose page is whole keeps the page readable, in this run and in others that repeat it', async () => {
    const court = await runTour();
    await curlew(runArguments(fixture('scrapers/court-tour.ts'), court, scratch('data')));
    const [row] = query(
      `SELECT url, segment_id, request_offset, request_length FROM exchanges
       WHERE id IN (SELECT revisit_of FROM exchanges) AND url GLOB '*/case/*' LIMIT 1`,
    );
    const file = await open(scratch('data', 'archive', segmentName(Number(row?.segment_id))), 'r+');
    await file.write(Buffer.from([0xff]), 0, 1, Number(row?.request_offset) + Number(row?.request_length) - 30);
    await file.close();
    expect((await verify()).code).toBe(1);

    const repaired = await repair();
    expect(repaired).toMatchObject({ code: 0 });
    expect(kindsIn(repaired)).toContain('repaired');
    expect((await verify()).stdout).not.toContain('body_reference_broken');
    for (const run of ['1', '2']) {
      const page = await curlew(['page', run, String(row?.url), '--data', scratch('data')]);
      expect(page).toMatchObject({ code: 0 });
    }
    expect((await verify()).code).toBe(0);
  });

  it('follows a redirect again, and asks for lists and JSON', async () => {
    await runTour();
    await damage("url GLOB '*/case/55' OR url GLOB '*/api/*' OR url GLOB '*/list/*'");
    expect((await repair()).code).toBe(0);
    expect((await verify()).code).toBe(0);
  });

  it('sends a form again as it was sent, in its session', async () => {
    const court = await runTour();
    const before = court.log.entries.length;
    await damage("request_id IN (SELECT id FROM requests WHERE method = 'POST')");
    const repaired = await repair();
    expect(kindsIn(repaired)[0]).toMatch(/^(repaired|changed)$/);
    const posts = (since: number) => court.log.since(since).filter(({ method }) => method === 'POST');
    expect(posts(before).length).toBe(1);
    const [first, second] = posts(0);
    expect(second).toMatchObject({ path: first?.path, status: 200 });
  });

  it('downloads files again that are missing or damaged', async () => {
    await runTour();
    const [first, second] = query('SELECT DISTINCT file_path FROM exchanges WHERE file_path IS NOT NULL LIMIT 2');
    await rm(scratch('data', 'files', String(first?.file_path)));
    const path = scratch('data', 'files', String(second?.file_path));
    const bytes = await readFile(path);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    await writeFile(path, bytes);
    const repaired = await repair();
    expect(kindsIn(repaired).slice(0, -1)).toEqual(['repaired', 'repaired']);
    expect(repaired.code).toBe(0);
    expect((await verify()).code).toBe(0);
  });

  it('makes a run whole that lost a segment', async () => {
    await runTour();
    await rm(scratch('data', 'archive', segmentName(1)));
    // The token of the search is another in every answer: those pages have changed, all others are the same.
    const repaired = await repair();
    const changed = repairsIn(repaired).filter(({ kind }) => kind === 'changed');
    for (const { url } of changed) expect(url).toMatch(/search|case\/55/);
    expect(kindsIn(repaired)).not.toContain('failed');
    expect((await verify()).stdout).not.toMatch(/^(?!answer_replaced)[a-z_]+ {2}/m);
    expect((await verify()).code).toBe(changed.length === 0 ? 0 : 1);
  });

  it('keeps what the site no longer has as a finding', async () => {
    const court = await runTour();
    const [url = ''] = await damage("id = (SELECT min(id) FROM exchanges WHERE url GLOB '*/case/*' AND status = 200)");
    const { pathname } = new URL(url);
    court.faults.set({ kind: 'status', status: 404, path: pathname });
    const tried = await repair();
    expect(tried.code).toBe(1);
    expect(kindsIn(tried)[0]).toBe('gone');
    expect((await verify()).stdout).toContain(url);
    expect(query('SELECT count(*) AS n FROM exchanges WHERE lost IS NOT NULL')).toEqual([{ n: 0 }]);
  });

  it('asks for nothing that robots.txt forbids now', async () => {
    const court = await runTour();
    await damage("id = (SELECT min(id) FROM exchanges WHERE url GLOB '*/case/*' AND status = 200)");
    court.setRobots('User-agent: *\nDisallow: /\n');
    query('DELETE FROM robots');
    const before = court.log.entries.length;
    const tried = await repair();
    expect(tried.code).toBe(1);
    expect(kindsIn(tried)[0]).toBe('forbidden');
    expect(askedSince(court, before)).toEqual([]);
    expect((await verify()).code).toBe(1);
  });

  it('at a site that is down gives nothing up, and can be tried again', async () => {
    const site = { isDown: false };
    const sockets = new Set<Socket>();
    const server = createServer(({ url = '', socket }, response) => {
      if (site.isDown) return void socket.destroy();
      response.writeHead(url === '/robots.txt' ? 404 : 200).end(`<p>${url}</p>`);
    }).on('connection', (socket) => sockets.add(socket));
    const { port, close } = await listening(server);
    closing({ close });
    const urls = ['/a', '/b', '/c'].map((path) => `http://127.0.0.1:${port}${path}`);
    const where = ['--allow-host', `127.0.0.1:${port}`, '--data', scratch('data'), '--rate', 'off'];
    expect((await curlew(['fetch', ...urls, ...where])).code).toBe(0);
    await damage('true');
    const ledger = query('SELECT * FROM exchanges');
    site.isDown = true;
    for (const socket of sockets) socket.destroy();
    const tried = await repair('--patience', '1s');
    expect(tried.code).toBe(1);
    expect(kindsIn(tried).slice(0, 3)).toEqual(['failed', 'failed', 'failed']);
    expect(tried.stderr).not.toContain('unexpected');
    expect(query('SELECT * FROM exchanges')).toEqual(ledger);
    expect((await verify()).code).toBe(1);
    site.isDown = false;
    const again = await repair();
    expect(kindsIn(again).slice(0, 3)).toEqual(['repaired', 'repaired', 'repaired']);
    expect(again.code).toBe(0);
    expect((await verify()).code).toBe(0);
  });

  it('that is killed is finished by the next', async () => {
    const court = await runTour();
    const urls = await damage("url GLOB '*/case/*' AND status = 200 AND revisit_of IS NULL AND id % 2 = 0");
    court.setLatency([20, 30]);
    const before = court.log.entries.length;
    const life = startCurlew(['verify', '--repair', '--data', scratch('data')]);
    await Promise.race([court.log.arrival(({ n }) => n >= before + 6), life.ended]);
    life.kill('SIGKILL');
    expect((await life.ended).signal).toBe('SIGKILL');
    const done = Number(query('SELECT count(*) AS n FROM exchanges WHERE lost IS NOT NULL')[0]?.n);
    expect(done).toBeLessThan(urls.length);
    expect((await repair()).code).toBe(0);
    expect((await verify()).code).toBe(0);
  });

  it.each(['after-archive', 'before-commit', 'after-commit'])('that dies %s is finished by the next', async (point) => {
    await runTour();
    const urls = await damage("url GLOB '*/case/*' AND status = 200 AND revisit_of IS NULL AND id % 4 = 0");
    expect(urls.length).toBeGreaterThan(2);
    const how = { env: { CURLEW_CRASH_AT: `${point}:2` } };
    const died = await curlew(['verify', '--repair', '--data', scratch('data')], how);
    expect(died.signal).toBe('SIGKILL');
    expect(query('SELECT count(*) AS n FROM exchanges WHERE lost IS NOT NULL')).toEqual([
      { n: point === 'after-commit' ? 2 : 1 },
    ]);
    expect((await repair()).code).toBe(0);
    expect((await verify()).code).toBe(0);
  });

  it('leaves a run alone that a process works on', async () => {
    const court = await runTour();
    await damage("id = (SELECT min(id) FROM exchanges WHERE url GLOB '*/case/*' AND status = 200)");
    const owner = { pid: process.pid, began: '', machine: 'elsewhere' };
    query(`UPDATE run_owners SET owner = '${JSON.stringify(owner)}', heartbeat_at = ${Date.now()}`);
    const before = court.log.entries.length;
    const tried = await repair();
    expect(tried).toMatchObject({ code: 1, stdout: expect.stringContaining('is being worked on by process') });
    expect(askedSince(court, before)).toEqual([]);
  });

  it('rebuilds the index of bodies and the counts of a run from the rows', async () => {
    const court = await runTour();
    const counts = query('SELECT * FROM run_counts ORDER BY 1, 2, 3');
    query("UPDATE run_counts SET n = n - 3 WHERE verdict = 'done'");
    query('UPDATE bodies SET exchange_id = exchange_id + 1');
    expect((await verify()).code).toBe(1);
    const before = court.log.entries.length;
    const repaired = await repair();
    expect(repaired.code).toBe(0);
    expect(query('SELECT * FROM run_counts WHERE n <> 0 ORDER BY 1, 2, 3')).toEqual(counts.filter(({ n }) => n !== 0));
    expect((await verify()).code).toBe(0);
    expect(court.log.since(before)).toEqual([]);
  });
});

describe('a record that is lost', () => {
  it('stays a finding after a repair, until it is accepted', async () => {
    await runTour();
    query('DELETE FROM records WHERE id = (SELECT max(id) FROM records)');
    expect((await verify()).stdout).toMatch(/^count_wrong {2}run 1, .*\n.*1 is lost or changed\.$/m);
    expect((await repair()).code).toBe(1);
    const verified = await verify();
    expect(verified).toMatchObject({ code: 1, stdout: expect.stringContaining('count_wrong') });
    expect(verified.stdout).toContain('curlew replay 1');
    expect(await verify('--accept')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 accepted, 0 left.') });
    expect((await verify()).code).toBe(0);
    const events = query("SELECT payload_json FROM events WHERE event_type = 'loss_accepted'");
    expect(events.map(({ payload_json }) => payload_json)).toEqual([expect.stringContaining('1 is lost or changed')]);
  });

  it('is not hidden by a verdict that was changed', async () => {
    await runTour();
    query("UPDATE requests SET verdict = 'failed' WHERE id = (SELECT min(id) FROM requests WHERE verdict = 'done')");
    expect((await repair()).code).toBe(1);
    expect((await verify()).code).toBe(1);
  });
});

describe('what cannot be accepted', () => {
  it('stays a finding', async () => {
    await runTour();
    const [url] = await damage("id = (SELECT min(id) FROM exchanges WHERE url GLOB '*/case/*' AND status = 200)");
    const accepted = await verify('--accept');
    expect(accepted).toMatchObject({ code: 1, stdout: expect.stringContaining('0 accepted, 1 left.') });
    expect((await verify()).stdout).toContain(url);
    expect(await verify('--accept', '--repair')).toMatchObject({ code: 2 });
  });
});

describe('a repair of the ledger', () => {
  it("rebuilds SQLite's indexes", async () => {
    await runTour();
    // The entries of the index are of one column, and its definition names another.
    const ledger = new DatabaseSync(scratch('data', 'ledger.sqlite'), { defensive: false });
    ledger.exec(`PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, '(started_at', '(ended_at') WHERE name = 'idx_runs_started_at';`);
    ledger.close();
    expect((await verify()).stdout).toContain('ledger_damaged');
    expect((await repair()).code).toBe(0);
    expect((await verify()).code).toBe(0);
  });

  it('makes no ledger where it is lost', async () => {
    await runTour();
    await rm(scratch('data', 'ledger.sqlite'));
    expect((await repair()).code).toBe(1);
    expect(existsSync(scratch('data', 'ledger.sqlite'))).toBe(false);
  });
});

describe('a repair of pages that are the same or have changed', () => {
  async function fetchPages(paths: readonly string[]) {
    const fetchPage = async (path: string) => {
      const where = ['--allow-host', `127.0.0.1:${port}`, '--data', scratch('data'), '--rate', 'off'];
      expect((await curlew(['fetch', url(path), ...where])).code).toBe(0);
    };
    const site = { text: (_: string) => '<p>the same</p>', asked: [] as string[], fetch: fetchPage };
    const server = createServer(({ url = '' }, response) => {
      if (url === '/robots.txt') return void response.writeHead(404).end();
      site.asked.push(url);
      response.end(site.text(url));
    });
    const { port, close } = await listening(server);
    closing({ close });
    const url = (path: string) => `http://127.0.0.1:${port}${path}`;
    for (const path of paths) await fetchPage(path);
    await damage('id = 1');
    site.asked.length = 0;
    const read = async (run: number, path: string) =>
      (await curlew(['page', String(run), url(path), '--data', scratch('data')])).stdout;
    return { site, read };
  }
  const fetchOnce = () => fetchPages(['/a']);
  const fetchTwice = () => fetchPages(['/a', '/b']);

  it('has repetitions of the same bytes in other runs refer to the new ones', async () => {
    const { site, read } = await fetchTwice();
    expect((await repair()).code).toBe(0);
    expect(site.asked).toEqual(['/a']);
    expect(await read(2, '/b')).toBe('<p>the same</p>');
    expect((await verify()).code).toBe(0);
  });

  it('says that a page has changed since, keeps both, and does not pass the new one for the old', async () => {
    const { site, read } = await fetchTwice();
    site.text = (path) => (path === '/a' ? '<p>another</p>' : '<p>the same</p>');
    const repaired = await repair();
    expect(repaired.code).toBe(1);
    expect(repairsIn(repaired).slice(0, 2)).toMatchObject([
      { kind: 'changed', run: 1, why: expect.stringContaining('has changed since') },
      { kind: 'repaired', run: 2 },
    ]);
    expect(site.asked).toEqual(['/a', '/b']);
    expect(query('SELECT id, lost FROM exchanges WHERE request_id = 1')).toEqual([
      { id: 1, lost: 'damaged, and replaced by a different answer' },
      { id: 3, lost: null },
    ]);
    expect(await read(1, '/a')).toBe('<p>another</p>');
    expect(await read(2, '/b')).toBe('<p>the same</p>');
  });

  /** The site has another page for a while. */
  async function repairWithLoginPage() {
    const { site, read } = await fetchOnce();
    const original = site.text;
    site.text = () => '<p>log in</p>';
    expect((await repair()).code).toBe(1);
    expect(await read(1, '/a')).toBe('<p>log in</p>');
    const verified = await verify();
    expect(verified).toMatchObject({ code: 1, stdout: expect.stringMatching(/^answer_replaced {2}.*\/a, run 1/) });
    expect(verified.stdout).toContain('replaced by a different answer');
    site.asked.length = 0;
    return { site, read, original };
  }

  it('keeps a different answer as a finding, and takes the original when the site has it again', async () => {
    const { site, read, original } = await repairWithLoginPage();
    expect(await curlew(['health', '--data', scratch('data')])).toMatchObject({ code: 1 });
    const exported = await curlew(['export', '1', '--format', 'warc', '-o', scratch('a'), '--data', scratch('data')]);
    expect(exported).toMatchObject({ code: 1 });
    // As long as it says the same, nothing is added.
    const again = await repair();
    expect(kindsIn(again)[0]).toBe('changed');
    expect(again.code).toBe(1);
    expect(query('SELECT count(*) AS n FROM exchanges')).toEqual([{ n: 2 }]);
    site.text = original;
    const repaired = await repair();
    expect(kindsIn(repaired)[0]).toBe('repaired');
    expect(repaired.code).toBe(0);
    expect(site.asked).toEqual(['/a', '/a']);
    expect(await read(1, '/a')).toBe('<p>the same</p>');
    expect((await verify()).code).toBe(0);
  });

  it('forgets a different answer when it is accepted, and when another run brings the original', async () => {
    const { site, original } = await repairWithLoginPage();
    expect(await verify('--accept')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 accepted, 0 left.') });
    expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringContaining('1 given up') });
    expect(site.asked).toEqual([]);
    query('INSERT INTO different_answers SELECT id FROM exchanges WHERE lost IS NOT NULL');
    expect((await verify()).code).toBe(1);
    site.text = original;
    await site.fetch('/a');
    expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringContaining('1 replaced by the same bytes') });
  });

  it('says which damaged records are known and replaced, and an export leaves them out', async () => {
    await fetchOnce();
    expect((await repair()).code).toBe(0);
    const verified = await verify();
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('1 replaced by the same bytes') });
    expect(verified.stdout).toContain('All else is as it was stored.');
    const output = scratch('run.warc.gz');
    const exported = await curlew(['export', '1', '--format', 'warc', '-o', output, '--data', scratch('data')]);
    expect(exported).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/left out, since it is lost: .*\/a\n.*exchange 2/),
    });
    const warc = gunzipSync(await readFile(output)).toString();
    expect(warc.match(/^WARC-Type: response\r$/gm)?.length).toBe(1);
    expect(warc).toContain('<p>the same</p>');
  });
});

describe('a repair of the files of a mirror', () => {
  it('has the mirror download their cases again', async () => {
    const site = closing(await startJudicialKy({ seed: 7, cases: 40 }));
    const env = {
      BAILIIKC_UJ_BASE_URL: site.url,
      BAILIIKC_UJ_FILE_HOSTS: site.boxUrl,
      BAILIIKC_MIN_FREE_MB: '1',
      PLAYWRIGHT_POST_CLICK_SLEEP_SECONDS: '0',
    };
    const more = ['--rate', 'off', '--allow-host', '127.0.0.1', '--data', scratch('data')];
    expect((await curlew(['mirror', 'sync', ...more], { env })).code).toBe(0);
    await curlew(['mirror', 'run', ...more, '--delay', '0'], { env });
    const rows = query('SELECT file_path FROM case_files LIMIT 3');
    const paths = rows.map(({ file_path }) => scratch('data', 'pdfs', String(file_path)));
    const [missing = '', damaged = ''] = paths;
    const contents = () => Promise.all(paths.map((path) => readFile(path)));
    const before = await contents();
    await rm(missing);
    const flipped = await readFile(damaged);
    flipped[50] = (flipped[50] ?? 0) ^ 1;
    await writeFile(damaged, flipped);
    expect((await verify()).code).toBe(1);
    const planned = await curlew(['verify', '--repair', '--dry-run', ...more], { env });
    expect(planned.stdout).toContain('2 to fetch');

    const repaired = await curlew(['verify', '--repair', ...more], { env });
    expect(repaired.stdout).toContain('2 repaired, 0 left.');
    expect(repaired.code).toBe(0);
    expect(await contents()).toEqual(before);
    expect((await verify()).code).toBe(0);
  });
});
