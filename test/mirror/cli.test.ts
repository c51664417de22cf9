// `curlew mirror …` as a person or a script uses it.

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../src/mirror/config/mirror-config.ts';
import { normalizeActionToken } from '../../src/mirror/csv/normalize-action-token.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { jsonIn, mirror, startMirror } from './mirror-process.ts';
import { envOf, filesIn, latestRun, perfectFiles, requestsTo, SOURCE, startSite } from './scrape-setup.ts';

const scratch = scratchDirectory();
const data = () => scratch('data');
const OPEN = ['--rate', 'off', '--allow-host', '127.0.0.1'];

describe('curlew mirror', () => {
  // Some twenty processes, one after the other.
  it('from nothing to a verified mirror, its reports, its export and its history', async () => {
    const site = await startSite({ cases: 40 });
    const env = envOf(site);
    const synced = await mirror(data(), ['sync', ...OPEN, '--json'], env);
    expect([synced.code, jsonIn(synced)]).toMatchObject([0, { csv_version_id: 1, is_new_version: true }]);
    const plan = await startMirror(site, data(), ['--dry-run']).ended;
    const count = Object.keys(perfectFiles(site)).length;
    expect([plan.code, jsonIn(plan)]).toMatchObject([0, { cases_planned: count }]);
    const before = await mirror(data(), ['report']);
    expect([before.code, before.stdout]).toMatchObject([1, expect.stringMatching(/never_attempted/)]);

    const capped = await startMirror(site, data(), ['--limit', '5']).ended;
    expect([capped.code, jsonIn(capped)]).toMatchObject([0, { downloadsCompleted: 5 }]);
    expect(await startMirror(site, data()).ended).toMatchObject({ code: 0 });
    expect(await startMirror(site, data()).ended).toMatchObject({ code: 0 });
    expect(filesIn(data())).toEqual(perfectFiles(site));

    const shown = await curlew(['show', '2', '--data', data(), '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      summary: { health: 'ok', requests: { done: count - 5, failed: 0 } },
    });
    expect(await mirror(data(), ['verify'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/all as the ledger/),
    });
    expect(await mirror(data(), ['report'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/100 %/) });
    expect((await mirror(data(), ['export', '--json'])).stdout).toBe((await mirror(data(), ['export'])).stdout);
    expect(await mirror(data(), ['export', '--json', '--manifest'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Leave --json or --manifest out.'),
    });
    const manifest = await mirror(data(), ['export', '--manifest']);
    expect(execFileSync('sha256sum', ['--check', '--quiet'], { cwd: data(), input: manifest.stdout }).toString()).toBe(
      '',
    );
    const lines = (await mirror(data(), ['export'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(count);
    const rest = await mirror(data(), ['export', '--since', String(lines[9].cursor)]);
    expect(rest.stdout.trim().split('\n')).toHaveLength(count - 10);

    const runs = (await mirror(data(), ['runs', '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(runs.map(({ id, cases_downloaded }) => [id, cases_downloaded])).toEqual([
      [3, 0],
      [2, count - 5],
      [1, 5],
    ]);
    const summary = await mirror(data(), ['run-summary', '--run-id', '2', '--json']);
    expect(jsonIn(summary)).toMatchObject({
      id: 2,
      status_counts: { downloaded: count - 5, failed: 0 },
      run_health: 'ok',
    });
    expect((await mirror(data(), ['run-summary', '--latest'])).stdout).toMatch(/^id +3$/m);
    const [token = ''] = Object.keys(filesIn(data()));
    const explained = await mirror(data(), ['explain', token]);
    expect(explained.stdout).toMatch(
      /Listed for the first time, in version 1[\s\S]*attempt 1: the court was asked[\s\S]*downloaded, .* SHA-256/,
    );
    expect((await mirror(data(), ['health', '--json'], env)).code).toBe(0);

    site.travelTo('v2');
    expect(jsonIn(await mirror(data(), ['sync', ...OPEN, '--json'], env))).toMatchObject({
      new_cases: 7,
      changed_cases: 2,
      removed_cases: 3,
    });
    expect((await mirror(data(), ['diff', '1', '2'])).stdout).toMatch(/7 new, 3 removed, 2 changed\.$/m);
    site.switchOn('csv-html');
    const refused = await mirror(data(), ['sync', ...OPEN], env);
    expect([refused.code, refused.stdout]).toMatchObject([1, expect.stringMatching(/refused.*HTML/)]);
  });

  it('leaves with 1 when something is wrong, and says what', async () => {
    const site = await startSite({ cases: 40 });
    const token = site.corpus.wanted('v1')[3]?.token ?? '';
    site.switchOn('pdf-404', { token });
    const run = await startMirror(site, data()).ended;
    expect([run.code, jsonIn(run)]).toMatchObject([1, { errorCounts: { http_404_not_found: 1 } }]);
    const report = await mirror(data(), ['report', '--json']);
    expect([report.code, jsonIn(report).missing]).toMatchObject([1, [{ reason: 'http_404_not_found' }]]);
    const [name = ''] = Object.keys(filesIn(data()));
    rmSync(join(data(), 'pdfs', SOURCE, `${name}.pdf`));
    const verified = await mirror(data(), ['verify']);
    expect([verified.code, verified.stdout]).toMatchObject([
      1,
      expect.stringContaining(`missing   ${SOURCE}/${name}.pdf`),
    ]);
    expect((await mirror(data(), ['explain', token])).stdout).toContain('http_404_not_found');
    expect(normalizeActionToken(token)).not.toBe('');
  });

  it('fetches one case again when it is named, and says why it does not', async () => {
    const site = await startSite({ cases: 40 });
    await startMirror(site, data()).ended;
    const [wanted] = site.corpus.wanted('v1');
    const crime = site.corpus.active('v1').find(({ isCriminal }) => isCriminal);
    if (wanted === undefined || crime === undefined) expect.fail('the court has no such cases');
    const before = requestsTo(site).files;
    const again = await startMirror(site, data(), ['--case', wanted.token]).ended;
    expect([again.code, jsonIn(again)]).toMatchObject([0, { casesTargeted: 1, downloadsCompleted: 1 }]);
    expect(requestsTo(site).files - before).toBe(1);
    const criminal = await startMirror(site, data(), ['--case', crime.token]).ended;
    expect([criminal.code, criminal.stdout + criminal.stderr]).toMatchObject([
      2,
      expect.stringContaining('criminal case'),
    ]);
    const nobody = await startMirror(site, data(), ['--case', 'NOBODY']).ended;
    expect([nobody.code, nobody.stdout + nobody.stderr]).toMatchObject([2, expect.stringContaining('NOBODY')]);
  });

  it('leaves with 2 when it was called wrongly', async () => {
    const site = await startSite({ cases: 40 });
    await startMirror(site, data(), ['--limit', '1']).ended;
    for (const args of [
      ['run-summary', '--run-id', '99'],
      ['run-summary'],
      ['run', '--mode', 'some'],
      ['run', '--source', 'public_registers'],
      ['run', '--source', 'elsewhere'],
      ['diff', '1', '9'],
      ['explain', 'NOBODY'],
    ]) {
      expect([args, (await mirror(data(), args)).code]).toEqual([args, 2]);
    }
    const reserved = await mirror(data(), ['run', '--source', 'public-registers']);
    expect(reserved.stderr).toMatch(/planned, and not there yet/);
    const dangerous = await mirror(data(), ['run'], { BAILIIKC_REPLAY_SKIP_NETWORK: '1' });
    expect([dangerous.code, dangerous.stderr]).toEqual([2, expect.stringMatching(/BAILIIKC_REPLAY_SKIP_NETWORK/)]);
    const resumed = await curlew(['resume', '1', '--data', data()]);
    expect([resumed.code, resumed.stderr]).toEqual([2, expect.stringMatching(/mirror run --mode resume/)]);
    const nothing = await mirror(scratch('empty'), ['report']);
    expect(nothing.code).toBe(2);
  });

  it('on SIGTERM ends the run as aborted, hands back, and leaves with 130', async () => {
    const site = await startSite({ cases: 200, latencyMs: 10 });
    const run = startMirror(site, data());
    await site.box.log.arrival(({ n }) => n > 20);
    run.kill('SIGTERM');
    const ended = await run.ended;
    expect([ended.code, jsonIn(ended).status]).toEqual([130, 'aborted']);
    expect(await latestRun(data())).toMatchObject({ status: 'aborted', errorSummary: 'It was stopped.' });
    const rest = await startMirror(site, data(), ['--mode', 'resume']).ended;
    expect(rest.code).toBe(0);
    expect(filesIn(data())).toEqual(perfectFiles(site));
    expect(requestsTo(site).files).toBe(Object.keys(perfectFiles(site)).length);
  });

  it('does not reach a private address unless it is allowed to', async () => {
    const site = await startSite({ cases: 40 });
    const { code, stderr } = await mirror(data(), ['run', '--rate', 'off'], envOf(site));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be used/)]);
    expect(site.log.entries).toEqual([]);
  });

  it('lists every setting with its default', async () => {
    const { code, stdout } = await curlew(['mirror', 'config', '--json'], { env: { BAILIIKC_MIN_FREE_MB: '7' } });
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([code, rows.map(({ name }) => name)]).toEqual([0, Object.values(VARIABLES).map(({ names }) => names[0])]);
    expect(rows.find(({ name }) => name === 'BAILIIKC_MIN_FREE_MB')).toMatchObject({ value: '7', default: '400' });
  });

  it('writes what it does to logs/latest.log, without secrets', async () => {
    const site = await startSite({ cases: 40 });
    await startMirror(site, data(), ['--limit', '2']).ended;
    const log = readFileSync(join(data(), 'logs', 'latest.log'), 'utf8');
    for (const label of ['NAV', 'PLAN', 'TABLE', 'BOX', 'STATE']) expect(log).toContain(`[SCRAPER][${label}] `);
    const nonce = new URLSearchParams(site.log.entries.find(({ body }) => body !== null)?.body ?? '').get('security');
    expect(nonce).toMatch(/^[0-9a-f]{10}$/);
    expect(log).not.toContain(nonce);
  });
});

describe('a mirror run that fails before it has an index', () => {
  it('is failed in its status and in its health, wherever it is shown', async () => {
    const site = await startSite({ cases: 40 });
    const env = envOf(site);
    await site.close();
    const run = await mirror(data(), ['run', ...OPEN, '--json'], env);
    expect(run.code).toBe(1);
    const shown = await curlew(['show', 'latest', '--data', data(), '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ summary: { status: 'failed', health: 'failed' } });
    const runs = await curlew(['runs', '--data', data(), '--json']);
    expect(JSON.parse(runs.stdout)).toMatchObject({ state: 'failed', health: 'failed' });
    expect((await mirror(data(), ['runs'])).stdout).not.toMatch(/\bok\b/);
    const advice = (await curlew(['show', 'latest', '--data', data()])).stdout;
    expect(advice).toMatch(/next .*curlew\.js mirror run --mode resume/);
    expect(advice).not.toMatch(/curlew\.js resume/);
  });
});

describe('a mirror run whose process was killed', () => {
  it('is not shown as running by runs and health', async () => {
    const site = await startSite({ cases: 40 });
    const run = startMirror(site, data(), ['--delay', '60']);
    // The delay keeps it from ending.
    await run.says('run 1, ');
    expect((await mirror(data(), ['runs'])).stdout).toMatch(/^ *1 .* running /m);
    run.kill('SIGKILL');
    await run.ended;
    const shown = await mirror(data(), ['runs']);
    expect(shown.stdout).toMatch(/^ *1 .* killed +– +– +– +–$/m);
    expect((await mirror(data(), ['health'], envOf(site))).stdout).toMatch(/latest mirror run 1: killed/);
  });
});

describe('names on the command line of the mirror', () => {
  it('may be written in upper and lower case, and with hyphens', async () => {
    const site = await startSite({ cases: 40 });
    const args = ['--mode', 'ReSuMe', '--resume-strategy', 'Retry-Failed-Only', '--source', 'UJ', '--client', 'HTTP'];
    expect(await startMirror(site, data(), args).ended).toMatchObject({ code: 0 });
    expect(await latestRun(data())).toMatchObject({
      mode: 'resume',
      params: { resume_strategy: 'retry_failed_only', target_source: SOURCE },
    });
    const wrong = await startMirror(site, data(), ['--mode', 'some']).ended;
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('full, new, resume')]);
    const reserved = await startMirror(site, data(), ['--source', 'pr']).ended;
    expect([reserved.code, reserved.stderr]).toEqual([2, expect.stringMatching(/public_registers is planned/)]);
  });
});
