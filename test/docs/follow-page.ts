// Does what a page says, in a directory: saves its files, and runs what is marked so, in its order, exactly as a reader would
// type it. Only the port 8017 of the simulated court is another one here, since tests run side by side.

import { execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { codeBlocksOf, fileNameOf, HOME, isRun, pageBefore } from './code-blocks.ts';

export interface Place {
  readonly directory: string;
  /** `host:port` of the court. */
  readonly court: string;
}

export async function followPage(page: string, place: Place): Promise<void> {
  const { directory, court } = place;
  const surroundings = { directory, env: {} };
  const before = pageBefore(page);
  if (before !== undefined) await followPage(before, place);
  const here = (code: string) => code.replaceAll('127.0.0.1:8017', court);
  const blocks = codeBlocksOf(page);
  for (const block of blocks) {
    if (block.language === 'ts') await writeFile(join(directory, fileNameOf(block)), here(block.code));
  }
  for (const block of blocks.filter(isRun)) {
    if (block.language === 'ts') await runModule(join(directory, fileNameOf(block)), surroundings);
    else for (const command of here(block.code).trim().split('\n')) await runCommand(command, surroundings);
  }
}

export interface Surroundings {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A module of the docs, in which `curlew` is this checkout. Rejects when it fails. */
export function runModule(path: string, { directory, env }: Surroundings) {
  const preload = join(HOME, 'test', 'docs', 'resolve-curlew.ts');
  const options = { cwd: directory, env: { ...process.env, ...env } };
  return promisify(execFile)(process.execPath, ['--import', preload, path], options);
}

/** `curlew` is this checkout. */
const CURLEW = 'curlew() { "$NODE" "$BIN" "$@"; }';

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runShell(command: string, { directory, env }: Surroundings): Promise<Said> {
  const own = { NODE: process.execPath, BIN: join(HOME, 'bin', 'curlew.js') };
  const options = { cwd: directory, maxBuffer: 1 << 26, env: { ...process.env, ...own, ...env } };
  const script = `${CURLEW}; set -euo pipefail; ${command}`;
  return { code: 0, ...(await promisify(execFile)('bash', ['-c', script], options).catch((error) => error)) };
}

/** `# exits with 2` at the end of a line says what it is to exit with; else 0. */
async function runCommand(command: string, surroundings: Surroundings): Promise<void> {
  const { code, stderr } = await runShell(command, surroundings);
  const wanted = Number(/# exits with (\d+)/.exec(command)?.[1] ?? 0);
  expect({ command, code, stderr }).toEqual({ command, code: wanted, stderr: expect.not.stringContaining('Warning') });
}

export interface Standing {
  /** Resolves with the first line that fits, on either output. Pending for ever if there is none. */
  says(line: RegExp): Promise<string>;
  /** Ctrl-C, and then its exit code. */
  stop(): Promise<number | null>;
}

/** A command that stays until it is stopped. It ends with the running test at the latest. */
export function startShell(command: string, { directory, env }: Surroundings): Standing {
  const args = command.replace(/^curlew /, '').split(' ');
  const child = spawn(process.execPath, [join(HOME, 'bin', 'curlew.js'), ...args], {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines: string[] = [];
  const heard = new EventEmitter();
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      heard.emit('line');
    });
  }
  return {
    async says(wanted) {
      for (;;) {
        const found = lines.find((line) => wanted.test(line));
        if (found !== undefined) return found;
        await once(heard, 'line');
      }
    },
    stop() {
      child.kill('SIGINT');
      return ended;
    },
  };
}
