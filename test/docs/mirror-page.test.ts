// docs/mirror.md, followed line by line on the simulated court it speaks of: its commands exit as it says, and its code runs.

import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { CorpusVersion } from '../../sim/judicial-ky/corpus.ts';
import { type RunningJudicialKy, startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { codeBlocksOf, readPage } from './code-blocks.ts';
import { runModule, runShell } from './follow-page.ts';

const scratch = scratchDirectory();
const blocks = codeBlocksOf('docs/mirror.md');

/** Fewer of them than the page has, to be quick. */
const CASES = 120;
const START = /^npx node sim\/judicial-ky\/main\.ts .*--cases \d+(?: --version (v\d))?$/;

interface Line {
  readonly text: string;
  /** The real court is not to be had: its commands are run on the simulated one. */
  readonly isReal: boolean;
}

const lines: readonly Line[] = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ code, line }) => {
    const isReal = headingBefore(line) === '## The real court';
    return code
      .trim()
      .split('\n')
      .map((text) => ({ text, isReal }));
  });

function headingBefore(line: number): string | undefined {
  return readPage('docs/mirror.md')
    .split('\n')
    .slice(0, line)
    .findLast((text) => text.startsWith('## '));
}

it('docs/mirror.md', async () => {
  let site: RunningJudicialKy | undefined;
  const env: Record<string, string> = { BAILIIKC_RECORD_REPLAY_FIXTURES: '1' };
  let reports = 0;
  for (const { text, isReal } of lines) {
    const start = START.exec(text);
    if (start !== null) {
      const [port, boxPort] = [site?.url, site?.boxUrl].map((url) =>
        url === undefined ? 0 : Number(new URL(url).port),
      );
      await site?.close();
      site = closing(await startJudicialKy({ cases: CASES, ...(port && boxPort && { port, boxPort }) }));
      if (start[1] !== undefined) site.travelTo(start[1] as CorpusVersion);
      continue;
    }
    const { url = '', boxUrl = '' } = site ?? {};
    const literal = text.replace('http://127.0.0.1:8018', url).replace('http://127.0.0.1:8019', boxUrl);
    const command = isReal ? `${literal} --allow-host 127.0.0.1 --rate off --delay 0` : literal;
    const [, name, value] = /^export (\w+)=(.*)$/.exec(command) ?? [];
    if (name !== undefined) {
      env[name] = value ?? '';
      continue;
    }
    // The first report comes before everything is held, and says so.
    const wanted = text === 'curlew mirror report' && reports++ === 0 ? 1 : 0;
    const { code, stderr } = await runShell(command, { directory: scratch(), env });
    expect({ command, code, stderr }).toEqual({
      command,
      code: wanted,
      stderr: expect.not.stringContaining('Warning'),
    });
  }
  expect(reports).toBe(2);

  const [{ code } = { code: '' }] = blocks.filter(({ language }) => language === 'ts');
  const quick = code
    .replace('perDownloadDelayMs: 1_000', 'perDownloadDelayMs: 0')
    .replace("{ data: './curlew-data',", "{ data: './own-data', fetch: { allowHosts: ['127.0.0.1'], rate: 'off' },");
  await writeFile(scratch('from-code.ts'), quick);
  const { stdout } = await runModule(scratch('from-code.ts'), { directory: scratch(), env });
  expect(stdout).toContain('50 {}\n');
});
