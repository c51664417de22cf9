// What others build on: the last line of `--json`, the lines of `records`, the exit codes, and that output can be piped
// anywhere.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { curlew, resumeArguments, runArguments, startCurlew, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const BIN = new URL('../../bin/curlew.js', import.meta.url).pathname;
const COUNTY_COURT = new URL('../../examples/county-court.ts', import.meta.url).pathname;
const scratch = scratchDirectory();

let court: RunningCourt;
beforeAll(async () => {
  court = await startCourt({ seed: 5, highest: 30 });
});
afterAll(() => court.close());

function runCourt(...options: string[]) {
  return curlew([...runArguments(COUNTY_COURT, court, scratch('data')), ...options]);
}

/** The same as a shell would do it, with both outputs where `redirections` send them. */
async function inShell(command: string, redirections: string) {
  const child = spawn('bash', ['-c', `"$NODE" "$BIN" ${command} ${redirections}; echo "codes \${PIPESTATUS[@]}" >&3`], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE: process.execPath, BIN },
  });
  const output = ['', '', '', ''];
  for (const fd of [1, 2, 3]) child.stdio[fd]?.on('data', (chunk) => (output[fd] += chunk));
  await once(child, 'close');
  return { stdout: output[1], stderr: output[2], codes: output[3]?.trim() };
}

describe('run --json', () => {
  it('ends with one line that says what the run came to', async () => {
    const { code, stdout, stderr } = await runCourt();
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    const summary = JSON.parse(lines[0] ?? '');
    const cases = court.expectedCases().length;
    const documents = court.expectedDocuments().length;
    expect(Object.keys(summary).slice(0, 8)).toEqual(
      expect.arrayContaining(['run', 'status', 'health', 'requests', 'records', 'invalid', 'seconds']),
    );
    expect(summary).toMatchObject({
      run: 1,
      status: 'completed',
      health: 'ok',
      records: cases + documents,
      invalid: 0,
    });
    expect(Object.keys(summary.requests)).toEqual([
      'done',
      'absent',
      'skipped',
      'failed',
      'blocked',
      'unknown',
      'pending',
    ]);
    expect(summary.requests).toMatchObject({ absent: 0, skipped: 0, failed: 0, blocked: 0, unknown: 0, pending: 0 });
    expect(summary.seconds).toBeGreaterThan(0);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/Warning|\x1b/) });
  });

  it('is the same line for resume, of a run that is complete too', async () => {
    const { seconds: _, ...first } = summaryIn(await runCourt());
    const again = await curlew(resumeArguments(scratch('data')));
    expect(again.code).toBe(0);
    expect(summaryIn(again)).toMatchObject(first);
  });

  it('tells an error as JSON too', async () => {
    const { code, stdout, stderr } = await runCourt('--entry', 'nope');
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'unknown_entry', remedy: expect.stringContaining('civil') });
    expect(stderr).toContain('CountyCourt has no entry named nope.');
  });
});

describe('records', () => {
  it('prints one object a line, with kind, data, url, step and valid', async () => {
    await runCourt('--entry', 'civil');
    const { stdout } = await curlew(['records', 'latest', '--data', scratch('data')]);
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines) {
      const found = JSON.parse(line);
      expect(Object.keys(found)).toEqual(['kind', 'data', 'url', 'step', 'valid']);
      expect(found.valid).toBe(true);
    }
    const expected = court.expectedList('civil').map(({ number }) => number);
    const cases = await curlew(['records', '1', '--kind', 'case', '--json', '--data', scratch('data')]);
    const numbers = cases.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).data.number);
    expect(numbers.sort()).toEqual(expected.sort());
    expect((await curlew(['records', '1', '--invalid', '--data', scratch('data')])).stdout).toBe('');
  });
});

describe('exit codes', () => {
  it('1 for a run that completed and found nothing', async () => {
    const ended = await runCourt('--entry', 'recent', '--param', 'since=2999-01-01');
    expect(ended.code).toBe(1);
    expect(summaryIn(ended).health).not.toBe('ok');
  });

  it('130 for one that was interrupted, and 0 when it was resumed', async () => {
    const slow = await startCourt({ seed: 5, highest: 30, latencyMs: 20 });
    try {
      const running = startCurlew([...runArguments(COUNTY_COURT, slow, scratch('data')), '--concurrency', '2']);
      await slow.log.arrival(({ n }) => n === 10);
      running.kill('SIGINT');
      const ended = await running.ended;
      expect(ended.code).toBe(130);
      expect(summaryIn(ended)).toMatchObject({ status: 'interrupted', health: 'partial' });
      expect(ended.stderr).toContain('stopping after what is on the wire');
      expect((await curlew(['runs', '--data', scratch('data')])).stdout).toContain('interrupted');
      const resumed = await curlew(resumeArguments(scratch('data')));
      expect(resumed.code).toBe(0);
      expect(summaryIn(resumed).records).toBe(slow.expectedCases().length + slow.expectedDocuments().length);
    } finally {
      await slow.close();
    }
  });

  it('0 when one that was killed is resumed; until then it is shown as killed', async () => {
    const slow = await startCourt({ seed: 5, highest: 30, latencyMs: 20 });
    try {
      const running = startCurlew([...runArguments(COUNTY_COURT, slow, scratch('data')), '--concurrency', '2']);
      await slow.log.arrival(({ n }) => n === 10);
      running.kill('SIGKILL');
      await running.ended;
      const data = ['--data', scratch('data')];
      expect((await curlew(['runs', ...data])).stdout).toMatch(/started +state .*\n.* killed /);
      expect(JSON.parse((await curlew(['runs', ...data, '--json'])).stdout)).toMatchObject({ state: 'killed' });
      const shown = (await curlew(['show', 'latest', ...data])).stdout;
      expect(shown).toMatch(/^Run 1 of CountyCourt: killed, health /);
      expect(shown).toMatch(/next +.* resume 1 /);
      expect((await curlew(resumeArguments(scratch('data')))).code).toBe(0);
      expect(JSON.parse((await curlew(['runs', ...data, '--json'])).stdout)).toMatchObject({ state: 'completed' });
    } finally {
      await slow.close();
    }
  });

  it('130 at once when Ctrl-C is held down, with one word for each degree, and nothing is lost', async () => {
    const stuck = await startCourt({ seed: 5, highest: 30, latencyMs: 60_000 });
    try {
      const running = startCurlew([...runArguments(COUNTY_COURT, stuck, scratch('data')), '--robots', 'off']);
      await stuck.log.arrival(({ n }) => n === 1);
      // As often as a key repeats.
      const held = setInterval(() => running.kill('SIGINT'), 25);
      const ended = await running.ended.finally(() => clearInterval(held));
      // Once Node is taking itself down nothing can be heard any more: to a shell both are 130.
      expect(ended.code ?? ended.signal).toBeOneOf([130, 'SIGINT']);
      expect(ended.stderr.match(/stopping .*/g)).toEqual([
        'stopping after what is on the wire. Once more to stop at once.',
        'stopping at once.',
      ]);
      expect(ended.stderr).not.toMatch(/\n {4}at |unexpected/);
      expect(summaryIn(ended)).toMatchObject({ status: 'interrupted' });
      stuck.setLatency(0);
      expect(await curlew(resumeArguments(scratch('data')))).toMatchObject({ code: 0 });
    } finally {
      await stuck.close();
    }
  });

  it('2 for a run that is not there, and the latest is named', async () => {
    await runCourt('--entry', 'civil');
    for (const command of ['show', 'records', 'export', 'resume', 'replay']) {
      const { code, stderr } = await curlew([command, '99', '--data', scratch('data')]);
      expect({ command, code }).toEqual({ command, code: 2 });
      expect(stderr).toContain('There is no run 99 in this data directory.\n  The latest is 1.');
    }
  });

  it('1 for a run that another process works on, and it is named', async () => {
    const slow = await startCourt({ seed: 5, highest: 30 });
    slow.faults.set({ kind: 'hold', path: '/case/' });
    try {
      const running = startCurlew([...runArguments(COUNTY_COURT, slow, scratch('data')), '--concurrency', '1']);
      await slow.log.arrival(({ path }) => path.startsWith('/case/'));
      const second = await curlew(resumeArguments(scratch('data')));
      expect(second.code).toBe(1);
      expect(second.stderr).toContain(`Run 1 is being worked on by process ${running.pid}`);
      const shown = await curlew(['show', 'latest', '--data', scratch('data')]);
      expect(shown.stdout).toContain(`process ${running.pid}`);
      running.kill('SIGTERM');
      await slow.faults.clear();
      expect((await running.ended).code).toBe(130);
    } finally {
      await slow.close();
    }
  });
});

describe('output', () => {
  it('may be closed by its reader', async () => {
    await runCourt();
    const data = scratch('data');
    const head = await inShell(`records latest --data ${data}`, '| head -n 1');
    expect(head).toMatchObject({ stderr: '', codes: 'codes 0 0' });
    expect(JSON.parse(head.stdout ?? '').kind).toMatch(/case|document/);
    const none = await inShell(`export latest --format warc --data ${data}`, '| true');
    expect(none).toMatchObject({ stderr: '', codes: 'codes 0 0' });
  });

  it('may be closed while a run goes on, which goes on all the same', async () => {
    const { host } = new URL(court.url);
    const run = `run ${COUNTY_COURT} --base-url ${court.url} --allow-host ${host} --rate off --data ${scratch('data')}`;
    const closed = await inShell(run, '2>&1 | true');
    expect(closed.codes).toBe('codes 0 0');
    const shown = await curlew(['show', 'latest', '--json', '--data', scratch('data')]);
    expect(JSON.parse(shown.stdout).summary).toMatchObject({ status: 'completed', health: 'ok' });
  });

  it('has colours only where they are wanted', async () => {
    await runCourt();
    const show = ['show', 'latest', '--data', scratch('data')];
    expect((await curlew(show)).stdout).not.toContain('\x1b');
    const forced = await curlew(show, { env: { FORCE_COLOR: '1' } });
    expect(forced.stdout).toContain('health \x1b[32mok');
    const refused = await curlew(show, { env: { NO_COLOR: '1' } });
    expect(refused.stdout).not.toContain('\x1b');
  });
});
