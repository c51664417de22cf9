// The first thing a newcomer runs: it has to work from an empty directory, to be quick, and to be true.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { curlew, startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const HOME = fileURLToPath(new URL('../..', import.meta.url));
const BIN = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));
const scratch = scratchDirectory();

async function outputOf(command: string, args: readonly string[], directory: string) {
  const child = spawn(command, args, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  const [code] = await once(child, 'close');
  return { code, stdout };
}

describe('curlew demo', () => {
  it('is killed, resumes, and finds everything once', async () => {
    // Somebody was here before, and their data stays.
    await mkdir(scratch('curlew-data', 'demo'), { recursive: true });
    const { code, stdout } = await outputOf(process.execPath, [BIN, 'demo'], scratch());
    expect(code).toBe(0);
    const killed = Number(/Killed\. (\d+) records had been committed/.exec(stdout)?.[1]);
    expect(killed).toBeGreaterThan(100);
    expect(killed).toBeLessThan(473);
    expect(stdout).toContain('Run 1 of CountyCourt: completed, health ok');
    expect(stdout).toMatch(/cases +240 +240 +0 +0\n/);
    expect(stdout).toMatch(/documents +233 +233 +0 +0\n/);
    expect(stdout).toContain('The data lies in curlew-data/demo-2');

    const suggested = stdout.split('Try next:\n')[1]?.trim().split('\n') ?? [];
    expect(suggested).toHaveLength(4);
    for (const line of suggested) {
      const args = line.trim().split(' ').slice(2);
      const data = args.at(-1) ?? '';
      const ended = await curlew([...args.slice(0, -1), scratch(data)]);
      expect(ended).toMatchObject({ code: 0 });
      expect(ended.stdout).not.toBe('');
    }
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('takes its run with it when it is stopped by %s', async (signal) => {
    const demo = startCurlew(['demo', '--data', scratch('data')]);
    await demo.says('run 1, data in');
    demo.kill(signal);
    expect(await demo.ended).toMatchObject({ code: 130 });
    const { stdout } = await curlew(['runs', '--data', scratch('data'), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ run: 1, state: 'interrupted' });
  });

  it('tells machines what came of it, and nothing else, also as npm run demo', async () => {
    const args = ['run', '--silent', 'demo', '--', '--json', '--data', scratch('data')];
    const { code, stdout } = await outputOf('npm', args, HOME);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      data: scratch('data'),
      recordsWhenKilled: expect.any(Number),
      kinds: [
        { kind: 'case', there: 240, found: 240, twice: 0 },
        { kind: 'document', there: 233, found: 233, twice: 0 },
      ],
      pagesAskedAgain: expect.any(Number),
      complete: true,
    });
  });
});
