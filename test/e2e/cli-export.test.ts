// What leaves Curlew for other tools: CSV that is safe to open, WARC that foreign readers read, JSON lines, and replays
// compared with what was stored.

import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WARCParser } from 'warcio';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { curlew, runArguments, sortedRecords, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const COUNTY_COURT = path('../../examples/county-court.ts');
const scratch = scratchDirectory();

let court: RunningCourt;
beforeAll(async () => {
  court = await startCourt({ seed: 9, highest: 40, compress: true });
});
afterAll(() => court.close());

async function run(scraper = COUNTY_COURT): Promise<void> {
  expect((await curlew(runArguments(scraper, court, scratch('data')))).code).toBe(0);
}

async function exported(...options: string[]): Promise<string> {
  const { code, stdout, stderr } = await curlew(['export', 'latest', '--data', scratch('data'), ...options]);
  const output = options[options.indexOf('--output') + 1];
  const said = options.includes('--output') ? expect.stringMatching(/^curlew: wrote .* to .*, .*B\n$/) : '';
  expect({ code, stderr }).toEqual({ code: 0, stderr: said });
  if (options.includes('--output')) expect(stderr).toContain(output);
  return stdout;
}

/** RFC 4180, as far as it is needed to read what was written. */
function parseCsv(text: string): string[][] {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/gy;
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(cell)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end !== ',') rows.push([]);
  }
  return rows.filter((row) => row.length > 1);
}

describe('--kind', () => {
  it.each(['export', 'records'])('of %s that no record has is an error that names those there are', async (command) => {
    await run();
    const { code, stdout, stderr } = await curlew([command, 'latest', '--kind', 'cases', '--data', scratch('data')]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Run 1 has no records of the kind cases.');
    expect(stderr).toMatch(/Did you mean case\?.*Its kinds are: case/);
  });
});

describe('export --format csv', () => {
  it('has a row for every record and a column for every field', async () => {
    await run();
    const [head, ...rows] = (await exported('--format', 'csv', '--kind', 'case')).trimEnd().split('\n');
    expect(head).toBe('kind,valid,url,number,title,filed,judge');
    expect(rows).toHaveLength(court.expectedCases().length);
  });

  it('neutralises formulas, and leaves numbers alone', async () => {
    await run(path('scrapers/formulas.ts'));
    const rows = parseCsv(await exported('--format', 'csv'));
    expect(rows[0]).toEqual(['kind', 'valid', 'url', 'text', 'amount', 'nested', "'=header"]);
    expect(rows.slice(1).map((row) => row[3])).toEqual([
      "'=1+1",
      '+1',
      '-1',
      "'@SUM(A1)",
      "'-cmd|calc",
      "'\t=1",
      'plain',
      '"quoted", with a comma',
      'two\nlines',
      '\x1b]0;stolen title\x07 \x1b[2J\x9b31m',
      'y',
    ]);
    expect(rows[1]?.slice(4)).toEqual(['-5', '["=1"]', 'x']);
    expect(rows.at(-1)?.[0]).toBe("'=kind");
  });
});

describe('export --format jsonl', () => {
  it('is what records prints, and goes to a file as a whole', async () => {
    await run();
    await exported('--output', scratch('all.jsonl'));
    const lines = (await readFile(scratch('all.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(lines.sort()).toEqual(await sortedRecords(scratch('data')));
    expect(existsSync(scratch('all.jsonl.partial'))).toBe(false);
    expect((await exported('--json')).trimEnd().split('\n').sort()).toEqual(lines);
    expect(await curlew(['export', '1', '--data', scratch('data'), '--json', '--format', 'csv'])).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^\{"error":\{"code":"usage",[^\n]*\n$/),
      stderr: expect.stringContaining('--json is --format jsonl, and not csv.'),
    });
  });

  it('writes into a device without replacing it', async () => {
    await run();
    await exported('--output', '/dev/null');
    await exported('--format', 'warc', '--output', '/dev/null');
    expect(await readFile('/dev/null', 'utf8')).toBe('');
  });

  it('refuses a place that cannot be written', async () => {
    await run();
    const { code, stderr } = await curlew(['export', '1', '--data', scratch('data'), '-o', scratch('no', 'where')]);
    expect(code).toBe(2);
    expect(stderr).toContain(`Cannot write ${scratch('no', 'where')}`);
  });
});

describe('export --format warc', () => {
  it('holds every exchange, documents included, for readers that we did not write', async () => {
    await run();
    await exported('--format', 'warc', '--output', scratch('run.warc.gz'));
    execFileSync('gzip', ['-t', scratch('run.warc.gz')]);
    const bodies = new Map<string, Buffer>();
    for await (const record of new WARCParser(createReadStream(scratch('run.warc.gz')))) {
      const body = Buffer.from(await record.readFully(false));
      if (record.warcType === 'response') bodies.set(new URL(record.warcTargetURI ?? '').pathname, body);
    }
    for (const { path, body } of court.expectedDocuments()) expect(bodies.get(path)).toEqual(body);
    for (const { id } of court.expectedCases()) expect([...bodies.keys()]).toContain(`/case/${id}`);
  });

  it('is the same on standard output', async () => {
    await run();
    await exported('--format', 'warc', '--output', scratch('one.warc.gz'));
    const shell = `"$0" "$1" export latest --format warc --data "$2" | gzip -dc | grep -ac '^WARC/1.1'`;
    const args = [process.execPath, path('../../bin/curlew.js'), scratch('data')];
    const piped = execFileSync('sh', ['-c', shell, ...args], { encoding: 'utf8' });
    const filed = execFileSync('sh', ['-c', `gzip -dc "$0" | grep -ac '^WARC/1.1'`, scratch('one.warc.gz')]);
    expect(piped).toBe(filed.toString());
  });

  it('names the download that is missing, not the file that is being written', async () => {
    await run();
    const lost = (await sortedRecords(scratch('data')))
      .map((line) => JSON.parse(line))
      .find(({ kind }) => kind === 'document').data.file;
    await rm(scratch('data', 'files', lost));
    const args = ['export', 'latest', '--data', scratch('data'), '--format', 'warc', '-o', scratch('run.warc.gz')];
    const { code, stderr } = await curlew(args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(lost) });
    expect(stderr).toContain('The downloaded file ');
    expect(stderr).not.toContain('--output');
    // The rest is written.
    expect(existsSync(scratch('run.warc.gz'))).toBe(true);
  });
});

describe('replay --diff', () => {
  it('exits 0 when the records are the same', async () => {
    await run();
    const { code, stdout } = await curlew(['replay', 'latest', '--diff', '--data', scratch('data')]);
    expect(code).toBe(0);
    expect(stdout).toContain('The same records as in run 1.');
  });

  it('exits 1 and shows what a changed scraper finds otherwise', async () => {
    await run();
    const original = await readFile(COUNTY_COURT, 'utf8');
    await writeFile(
      scratch('changed.ts'),
      original.replace("page.text('time')", "page.text('time').slice(0, 10).trim()"),
    );
    const same = ['replay', '1', '--diff', '--file', scratch('changed.ts'), '--data', scratch('data')];
    expect((await curlew(same)).code).toBe(0);
    await writeFile(scratch('upper.ts'), original.replace("page.text('h1')", "page.text('h1').toUpperCase()"));
    const changed = ['replay', '1', '--diff', '--file', scratch('upper.ts'), '--data', scratch('data')];
    const shown = await curlew(changed);
    const cases = court.expectedCases().length;
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain(`0 added, 0 lost, ${cases} changed against run 1.`);
    expect(shown.stdout).toMatch(/^~ case {2}http.*\n {4}- \{.*\n {4}\+ \{/m);
    const machine = await curlew([...changed, '--json']);
    const last = machine.stdout.trimEnd().split('\n').at(-1);
    expect(JSON.parse(last ?? '')).toMatchObject({ before: 1, added: 0, lost: 0, changed: cases });
  });

  it('exits 1 when the records are the same but something could not be read: that proves nothing', async () => {
    await run();
    const original = await readFile(COUNTY_COURT, 'utf8');
    const curious = original.replace(
      '*parseCase(page: Page) {',
      "*parseCase(page: Page) {\n    yield get('/never', this.parseCase);",
    );
    expect(curious).not.toBe(original);
    await writeFile(scratch('curious.ts'), curious);
    const args = ['replay', '1', '--diff', '--file', scratch('curious.ts'), '--data', scratch('data')];
    const { code, stdout } = await curlew(args);
    expect(code).toBe(1);
    expect(stdout).toContain('0 added, 0 lost, 0 changed against run 1.\n1 more than in run 1 could not be read');
  });

  it('asks the court for nothing', async () => {
    await run();
    const asked = court.log.entries.length;
    const ended = await curlew(['replay', 'latest', '--json', '--data', scratch('data')]);
    expect(summaryIn(ended)).toMatchObject({ run: 2, status: 'completed', health: 'ok' });
    expect(court.log.entries.length).toBe(asked);
  });
});
