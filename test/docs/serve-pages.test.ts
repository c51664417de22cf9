// What docs/api.md and docs/dashboard.md say of `curlew serve`: it starts, answers, and ends with Ctrl-C.

import { mkdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { codeBlocksOf } from './code-blocks.ts';
import { startShell } from './follow-page.ts';

const scratch = scratchDirectory();
const lines = ['docs/api.md', 'docs/dashboard.md']
  .flatMap(codeBlocksOf)
  .filter(({ language }) => language === 'sh')
  .flatMap(({ code }) => code.trim().split('\n'));

it.for([...new Set(lines.filter((line) => line.startsWith('curlew ')))])('%s', async (line) => {
  await mkdir(scratch('scrapers'));
  // On any port: that of the page may be taken.
  const server = startShell(`${line} --port 0`, { directory: scratch(), env: {} });
  const url = /http:\S+(?=,)/.exec(await server.says(/^Curlew is on /))?.[0] ?? '';
  const response = await fetch(`${url}/api/health`);
  expect(await response.json()).toMatchObject({ ok: true });
  expect(await server.stop()).toBe(0);
});
