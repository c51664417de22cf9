// Docs are executed: every block of TypeScript compiles, every command exists, and what is marked `run` is run.

import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { COMMANDS, type CommandName } from '../../src/cli/commands.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { codeBlocksOf, HOME, listPages, readPage } from './code-blocks.ts';

const pages = await listPages();
const blocks = pages.flatMap(codeBlocksOf);
const scratch = scratchDirectory();

const typescript = blocks.filter(({ language }) => language === 'ts');
const commandLines = pages.flatMap((page) => curlewLines(page).map((line) => [`${page}: ${line}`, line] as const));
const executed = blocks.filter(({ marks }) => marks.includes('run'));

/** The lines of code that call Curlew, by whatever name, without what they are piped into. */
function curlewLines(page: string): string[] {
  const call = /^(?: {4}|\$ )?(?:npx curlew|node bin\/curlew\.js|curlew) (.*?)(?:\s+[|#].*)?$/gm;
  return [...readPage(page).matchAll(call)].map((match) => match[1] ?? '');
}

it('there is something to check', () => {
  expect(typescript.length).toBeGreaterThan(5);
  expect(commandLines.length).toBeGreaterThan(10);
  expect(executed.length).toBeGreaterThan(3);
});

describe('TypeScript in the docs', () => {
  it('compiles', { timeout: 120_000 }, async () => {
    await symlink(join(HOME, 'node_modules'), scratch('node_modules'));
    const source = (name: string) => [join(HOME, 'src', `${name}.ts`)];
    const paths = { curlew: source('index'), 'curlew/testing': source('testing'), 'curlew/robots': source('robots') };
    // A snippet may name what it does not use.
    const compilerOptions = { paths, noUnusedLocals: false, noUnusedParameters: false, moduleDetection: 'force' };
    await writeFile(
      scratch('tsconfig.json'),
      JSON.stringify({ extends: join(HOME, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }),
    );
    await writeFile(scratch('package.json'), '{ "type": "module" }');
    for (const { page, line, code } of typescript) {
      // As many lines before it as on its page, so that an error names the right one.
      await writeFile(scratch(`${page.replaceAll('/', '-')}-${line}.ts`), '\n'.repeat(line - 1) + code);
    }
    const tsc = join(HOME, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', scratch()]).catch((error) => error);
    expect(stdout).toBe('');
  });
});

describe('commands in the docs', () => {
  it.for(commandLines)('%s', async ([, line]) => {
    const [name = '', ...args] = line.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'));
    expect(Object.keys(COMMANDS)).toContain(name);
    const { define } = await COMMANDS[name as CommandName].load();
    const said: string[] = [];
    const command = define(new Command(name).exitOverride().configureOutput({ writeErr: (text) => said.push(text) }));
    for (const one of command.commands.length > 0 ? command.commands : [command]) one.action(() => {});
    await command.parseAsync(args, { from: 'user' }).catch(() => said.push('refused'));
    expect(said).toEqual([]);
  });

  it('name every command there is', () => {
    const named = new Set(commandLines.map(([, line]) => line.split(' ', 1)[0]));
    expect(Object.keys(COMMANDS).filter((name) => !named.has(name))).toEqual([]);
  });
});

describe('what the docs say can be run', () => {
  const runnable = pages.filter((page) => executed.some((block) => block.page === page));

  it.for(runnable)('%s', { timeout: 120_000 }, async (page) => {
    const court = closing(await startCourt({ seed: 2, highest: 40 }));
    const { host } = new URL(court.url);
    const here = (code: string) => code.replaceAll('127.0.0.1:8017', host);
    for (const { marks, code, line } of codeBlocksOf(page)) {
      const file = marks.find((mark) => mark.endsWith('.ts')) ?? `line-${line}.ts`;
      await writeFile(scratch(file), here(code));
    }
    for (const block of executed.filter((block) => block.page === page)) {
      const { language, code, line } = block;
      if (language === 'ts') await runModule(scratch(`line-${line}.ts`));
      else for (const command of here(code).trim().split('\n')) await runCommand(command);
    }
  });

  async function runModule(path: string): Promise<void> {
    const preload = join(HOME, 'test', 'docs', 'resolve-curlew.ts');
    await promisify(execFile)(process.execPath, ['--import', preload, path], { cwd: scratch() });
  }

  async function runCommand(command: string): Promise<void> {
    const script = `curlew() { '${process.execPath}' '${join(HOME, 'bin', 'curlew.js')}' "$@"; }; set -euo pipefail; ${command}`;
    const { stderr } = await promisify(execFile)('bash', ['-c', script], { cwd: scratch(), maxBuffer: 1 << 26 });
    expect(stderr).not.toMatch(/Warning/);
  }
});
