// Judgments that the court replaces: a full run asks for every case again, new bytes become a new version beside the old
// one, and nothing that was verified is ever overwritten.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { CaseId } from '../../src/ledger/mirror/case-row.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { call, openServer, send } from '../server/server-setup.ts';
import { jsonIn, mirror } from './mirror-process.ts';
import { pdfOf } from './mirror-setup.ts';
import { latestRun, logOf, SOURCE, scrapeAt } from './scrape-setup.ts';
import { type StrangeCourt, startStrangeCourt, tokenOf } from './strange-court.ts';

const scratch = scratchDirectory();
const data = () => scratch('data');
const TOKENS = ['FSD0001', 'FSD0002', 'FSD0003'];
const page = (nonce: string) => `<script>var bfile = {"security":"${nonce}"};</script>`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const inPlace = () => readdirSync(join(data(), 'pdfs', SOURCE)).sort();
const bytesOf = (name: string) => readFileSync(join(data(), 'pdfs', SOURCE, name), 'utf8');

type Validator = 'none' | 'etag' | 'weak etag' | 'last-modified' | 'redirect';

/** A court whose files can be replaced; its file server tells of it in one way or another. */
async function startCourt(validator: Validator = 'none') {
  const texts = new Map(TOKENS.map((token) => [token, pdfOf(token)]));
  let changedAt = Date.UTC(2025, 0, 1);
  const box: RequestListener = (request, response) => {
    const text = texts.get(tokenOf(request)) ?? '';
    if (validator === 'redirect' && !request.url?.includes('final')) {
      response.writeHead(302, { location: `${request.url}?final` }).end();
      return;
    }
    const etag = validator.includes('etag')
      ? `${validator === 'etag' ? '' : 'W/'}"${sha256(text).slice(0, 8)}"`
      : undefined;
    const modified = validator === 'last-modified' ? new Date(changedAt).toUTCString() : undefined;
    const isSame =
      (etag !== undefined && request.headers['if-none-match'] === etag) ||
      (modified !== undefined && request.headers['if-modified-since'] === modified);
    const headers = { ...(etag && { etag }), ...(modified && { 'last-modified': modified }) };
    if (isSame) response.writeHead(304, headers).end();
    else response.writeHead(200, headers).end(text);
  };
  const court = await startStrangeCourt({ tokens: TOKENS, page, box });
  const amend = (token: string, text: string) => {
    texts.set(token, pdfOf(text));
    changedAt += 86_400_000;
  };
  return { court, amend };
}

const full = (court: StrangeCourt, params = {}) => scrapeAt(data(), { mode: 'full', ...params }, { env: court.env });
const cli = ['--rate', 'off', '--delay', '0', '--allow-host', '127.0.0.1', '--json'];

describe('an amended judgment', () => {
  it.for<[Validator, number]>([
    ['none', 3],
    ['etag', 1],
    ['weak etag', 3],
    ['last-modified', 3],
    ['redirect', 3],
  ])('is noticed by a full run, whatever the file server tells (%s)', async ([validator, bodies]) => {
    const { court, amend } = await startCourt(validator);
    await full(court);
    amend('FSD0002', 'FSD0002 as amended');
    const before = court.files.length;
    expect(await full(court)).toMatchObject({ casesTargeted: 3, downloadsCompleted: 3, filesAmended: 1 });
    expect(court.files.length - before).toBe(validator === 'redirect' ? 6 : 3);
    expect(inPlace()).toEqual(['FSD0001.pdf', 'FSD0002.pdf', 'FSD0002.v2.pdf', 'FSD0003.pdf']);
    expect([bytesOf('FSD0002.pdf'), bytesOf('FSD0002.v2.pdf')]).toEqual([
      pdfOf('FSD0002'),
      pdfOf('FSD0002 as amended'),
    ]);
    expect(logOf(data()).match(/decision=keep reason=unchanged/g)).toHaveLength(2);
    const sent = court.files.slice(before).filter(({ headers }) => headers['if-none-match'] !== undefined);
    expect(sent.length).toBe(bodies === 1 ? 3 : 0);
    expect(await latestRun(data())).toMatchObject({ runHealth: 'ok' });
    // Nothing is new the next time.
    expect(await full(court)).toMatchObject({ downloadsCompleted: 3, filesAmended: 0 });
    expect(inPlace()).toHaveLength(4);
  });

  it('is found, verified, exported and shown by a person at the command line', async () => {
    const { court, amend } = await startCourt();
    const run = (...args: string[]) => mirror(data(), ['run', ...cli, ...args], court.env);
    expect((await run()).code).toBe(0);
    amend('FSD0002', 'second');
    expect(jsonIn(await run())).toMatchObject({ casesTargeted: 0 });
    expect(jsonIn(await run('--mode', 'full'))).toMatchObject({ casesTargeted: 3, filesAmended: 1 });
    amend('FSD0002', 'third');
    await run('--mode', 'full');
    expect(inPlace()).toEqual(['FSD0001.pdf', 'FSD0002.pdf', 'FSD0002.v2.pdf', 'FSD0002.v3.pdf', 'FSD0003.pdf']);
    const verified = await mirror(data(), ['verify', '--json']);
    expect([verified.code, jsonIn(verified)]).toMatchObject([0, { checked: 5, orphaned: [] }]);
    const lines = (await mirror(data(), ['export'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.find(({ action_token }) => action_token === 'FSD0002')).toMatchObject({
      file_version: 3,
      file_path: `pdfs/${SOURCE}/FSD0002.v3.pdf`,
      sha256: sha256(pdfOf('third')),
    });
    // What did not change does not come again.
    const [first] = lines.filter(({ action_token }) => action_token === 'FSD0003');
    const since = (await mirror(data(), ['export', '--since', String(first.cursor)])).stdout.trim().split('\n');
    expect(since.map((line) => JSON.parse(line).action_token)).toEqual(['FSD0002']);
    expect((await mirror(data(), ['export', '--manifest'])).stdout.match(/FSD0002/g)).toHaveLength(3);
    expect((await mirror(data(), ['explain', 'FSD0002'])).stdout).toMatch(/it becomes version 3/);
    const server = await openServer(data(), { env: court.env });
    const { fileUrl } = (await call(server, 'listCases', { query: { search: 'FSD0002' } })).json.rows[0];
    expect((await send(server.url + fileUrl)).text).toBe(pdfOf('third'));
    // An old version that is lost is missed.
    rmSync(join(data(), 'pdfs', SOURCE, 'FSD0002.v2.pdf'));
    expect((await mirror(data(), ['verify'])).stdout).toContain(`missing   ${SOURCE}/FSD0002.v2.pdf`);
  });

  it('survives kills: a full run that is killed and resumed has every version once', async () => {
    const tokens = Array.from({ length: 60 }, (_, at) => `FSD${String(at).padStart(4, '0')}`);
    let edition = 'first';
    const nthFile = { at: Number.POSITIVE_INFINITY, seen: () => {} };
    const court = await startStrangeCourt({
      tokens,
      page,
      box: (request, response) => {
        response.end(pdfOf(`${tokenOf(request)} ${edition}`));
        if (court.files.length >= nthFile.at) nthFile.seen();
      },
    });
    const start = (mode: string) =>
      startCurlew(['mirror', 'run', ...cli, '--concurrency', '3', '--data', data(), '--mode', mode], {
        env: court.env,
      });
    expect(await start('new').ended).toMatchObject({ code: 0 });
    edition = 'second';
    for (const [kill, after] of [9, 14, 3, 17].entries()) {
      const seen = Promise.withResolvers<void>();
      Object.assign(nthFile, { at: court.files.length + after, seen: seen.resolve });
      const run = start(kill === 0 ? 'full' : 'resume');
      await Promise.race([seen.promise, run.ended]);
      run.kill('SIGKILL');
      await run.ended;
    }
    expect(await start('resume').ended).toMatchObject({ code: 0 });
    expect(inPlace()).toEqual(tokens.flatMap((token) => [`${token}.pdf`, `${token}.v2.pdf`]).sort());
    const wrong = tokens.filter(
      (token) =>
        bytesOf(`${token}.pdf`) !== pdfOf(`${token} first`) || bytesOf(`${token}.v2.pdf`) !== pdfOf(`${token} second`),
    );
    expect(wrong).toEqual([]);
    expect(jsonIn(await mirror(data(), ['verify', '--json']))).toMatchObject({ ok: true, checked: 120 });
    // None was fetched twice but those that were on the wire.
    expect(court.files.length).toBeLessThanOrEqual(120 + 4 * 3);
  });

  it('that goes back to its first bytes is a third version', async () => {
    const { court, amend } = await startCourt();
    for (const text of ['FSD0001', 'other', 'FSD0001']) {
      amend('FSD0001', text);
      await full(court);
    }
    expect(inPlace().filter((name) => name.startsWith('FSD0001'))).toEqual([
      'FSD0001.pdf',
      'FSD0001.v2.pdf',
      'FSD0001.v3.pdf',
    ]);
    expect(bytesOf('FSD0001.v3.pdf')).toBe(pdfOf('FSD0001'));
  });

  it('costs nothing that is held when the court fails to give it', async () => {
    const { court } = await startCourt();
    await full(court);
    const broken = await startStrangeCourt({ tokens: TOKENS, page, box: (_, response) => void response.end('<html>') });
    const summary = await scrapeAt(data(), { mode: 'full' }, { env: { ...court.env, ...broken.env } });
    expect(summary.errorCounts).toEqual({ malformed_pdf: 3 });
    expect(inPlace()).toEqual(['FSD0001.pdf', 'FSD0002.pdf', 'FSD0003.pdf']);
    const report = await mirror(data(), ['report', '--json']);
    expect([report.code, jsonIn(report)]).toMatchObject([1, { cases_held: 3, missing: [], owed: { length: 3 } }]);
    // A resume asks again for what the full run could not.
    expect(await scrapeAt(data(), { mode: 'resume' }, { env: court.env })).toMatchObject({ downloadsCompleted: 3 });
  });

  it('that the court failed to give stays owed until it is held', async () => {
    const { court, amend } = await startCourt();
    const run = (...args: string[]) =>
      mirror(data(), ['run', ...cli, '--max-retries', '1', ...args], { ...court.env, ...env });
    let env = {};
    await run();
    amend('FSD0002', 'as amended');
    const broken = await startStrangeCourt({
      tokens: TOKENS,
      page,
      box: (request, response) =>
        tokenOf(request) === 'FSD0002' ? void response.end('<html>') : void response.end(pdfOf(tokenOf(request))),
    });
    env = broken.env;
    expect(jsonIn(await run('--mode', 'full'))).toMatchObject({
      runHealth: 'partial',
      errorCounts: { malformed_pdf: 1 },
    });
    const again = await run();
    expect([again.code, jsonIn(again)]).toMatchObject([
      1,
      { casesTargeted: 1, errorCounts: { malformed_pdf: 1 }, runHealth: 'failed' },
    ]);
    const report = await mirror(data(), ['report']);
    expect([report.code, report.stdout]).toMatchObject([
      1,
      expect.stringMatching(/100 %[\s\S]*1 held file could not be fetched again[\s\S]*FSD0002 +malformed_pdf/),
    ]);
    // A run that is killed before it has asked does not make anybody forget it.
    const dead = await Ledger.open(data(), { clock: systemClock });
    const { case: owed } = (await dead.mirror.caseFacts(SOURCE))[1] ?? {};
    const killed = await dead.mirror.startRun({
      source: SOURCE,
      trigger: 'cli',
      mode: 'new',
      csvVersionId: undefined,
      params: {},
    });
    await killed.plan([owed?.id as CaseId]);
    await killed.end('aborted');
    await dead.close();
    env = {};
    const mended = await run();
    expect([mended.code, jsonIn(mended)]).toMatchObject([0, { casesTargeted: 1, filesAmended: 1, runHealth: 'ok' }]);
    expect(bytesOf('FSD0002.v2.pdf')).toBe(pdfOf('as amended'));
    expect(jsonIn(await run())).toMatchObject({ casesTargeted: 0, runHealth: 'ok' });
    expect((await mirror(data(), ['report'])).code).toBe(0);
  });

  it('is not confused with a file that is damaged here: that is put back as it was', async () => {
    const { court } = await startCourt('etag');
    await full(court);
    writeFileSync(join(data(), 'pdfs', SOURCE, 'FSD0002.pdf'), pdfOf('FSDXXXX'));
    rmSync(join(data(), 'pdfs', SOURCE, 'FSD0003.pdf'));
    expect(await full(court)).toMatchObject({ downloadsCompleted: 3, filesAmended: 0 });
    expect(inPlace()).toEqual(['FSD0001.pdf', 'FSD0002.pdf', 'FSD0003.pdf']);
    expect([bytesOf('FSD0002.pdf'), bytesOf('FSD0003.pdf')]).toEqual([pdfOf('FSD0002'), pdfOf('FSD0003')]);
  });

  it('is looked for where that is longest ago, when a run has a limit', async () => {
    const { court, amend } = await startCourt();
    await full(court);
    for (const token of TOKENS) amend(token, `${token} as amended`);
    for (const amended of [1, 2, 3]) {
      expect(await full(court, { limit: 1, concurrency: 1 })).toMatchObject({ filesAmended: 1 });
      expect(inPlace().filter((name) => name.endsWith('.v2.pdf'))).toHaveLength(amended);
    }
  });
});
