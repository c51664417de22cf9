// docs/mirror.md, followed line by line on the simulated court it speaks of: its commands exit as it says, and its code runs.

import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { codeBlocksOf } from './code-blocks.ts';
import { runModule, runShell } from './follow-page.ts';

const scratch = scratchDirectory();
const blocks = codeBlocksOf('docs/mirror.md');

/** The court is on a port of its own, and quick. */
function onCourt(line: string, { url, boxUrl }: { url: string; boxUrl: string }): string {
  const here = line.replace('http://127.0.0.1:8018', url).replace('http://127.0.0.1:8019', boxUrl);
  if (/ mirror sync\b/.test(here)) return `${here} --allow-host 127.0.0.1 --rate off`;
  return / mirror run\b(?!-)/.test(here) ? `${here} --allow-host 127.0.0.1 --rate off --delay 0` : here;
}

it('docs/mirror.md', { timeout: 240_000 }, async () => {
  const lines = blocks.filter(({ language }) => language === 'sh').flatMap(({ code }) => code.trim().split('\n'));
  const [start = '', ...commands] = lines;
  const cases = Number(/^npx node sim\/judicial-ky\/main\.ts .*--cases (\d+)$/.exec(start)?.[1]);
  // Fewer of them than the page has, to be quick.
  const site = closing(await startJudicialKy({ cases: Math.min(cases, 120) }));
  const env: Record<string, string> = { BAILIIKC_RECORD_REPLAY_FIXTURES: '1' };
  let reports = 0;
  for (const line of commands) {
    const [, name, value] = /^export (\w+)=(.*)$/.exec(onCourt(line, site)) ?? [];
    if (name !== undefined) {
      env[name] = value ?? '';
      continue;
    }
    // Two versions of an index need a court that has changed.
    if (line.includes('mirror diff 1 2')) {
      site.travelTo('v2');
      await runShell(onCourt('curlew mirror sync', site), { directory: scratch(), env });
    }
    const token = site.corpus.cases[0]?.token ?? '';
    const command = onCourt(line, site).replace(/(?<=explain )\w+/, token);
    // The first report comes before everything is held, and says so.
    const wanted = line === 'curlew mirror report' && reports++ === 0 ? 1 : 0;
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
