// Docs are executed: every block of TypeScript compiles, every command exists, and what is marked `run` is run.

import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { COMMANDS, type CommandName } from '../../src/cli/commands.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { codeBlocksOf, fileNameOf, HOME, isRun, listPages, readPage } from './code-blocks.ts';
import { followPage, runShell } from './follow-page.ts';

const pages = await listPages();
const blocks = pages.flatMap(codeBlocksOf);
const scratch = scratchDirectory();

const typescript = blocks.filter(({ language }) => language === 'ts');
const commandLines = pages.flatMap((page) => curlewLines(page).map((line) => [`${page}: ${line}`, line] as const));
const executed = blocks.filter(isRun);

/** The lines of code that call Curlew, by whatever name, without what they are piped into. */
function curlewLines(page: string): string[] {
  const call = /^(?: {4}|\$ )?(?:npx curlew|node bin\/curlew\.js|curlew) (.*?)(?:\s+[|#].*)?$/gm;
  return [...readPage(page).matchAll(call)].map((match) => match[1] ?? '');
}

/** Options of npm and of the scripts, which pages speak of as well. */
const OF_OTHERS = ['--prefer-offline', '--readme', '--pages', '--latency', '--only'];

function optionsIn(text: string): string[] {
  return [...text.matchAll(/(?<= |^)--[a-z][a-z-]*/g)].map(([option]) => option);
}

/** By name, `sites run` too: the options it takes. */
async function knownCommands(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const known = new Map<string, ReadonlySet<string>>();
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const command = (await load()).define(new Command(name));
    for (const one of [command, ...command.commands]) {
      const options = one.options.map(({ long }) => long ?? '');
      known.set(one === command ? name : `${name} ${one.name()}`, new Set([...options, '--help']));
    }
  }
  return known;
}

it('there is something to check', () => {
  expect(typescript.length).toBeGreaterThan(5);
  expect(commandLines.length).toBeGreaterThan(10);
  expect(executed.length).toBeGreaterThan(3);
});

describe('TypeScript in the docs', () => {
  it('compiles', async () => {
    await symlink(join(HOME, 'node_modules'), scratch('node_modules'));
    const source = (name: string) => [join(HOME, 'src', `${name}.ts`)];
    const paths = { curlew: source('index'), 'curlew/testing': source('testing'), 'curlew/robots': source('robots') };
    // A snippet may name what it does not use.
    const compilerOptions = { paths, noUnusedLocals: false, noUnusedParameters: false, moduleDetection: 'force' };
    await writeFile(
      scratch('tsconfig.json'),
      JSON.stringify({ extends: join(HOME, 'tsconfig.json'), compilerOptions, include: ['*/*.ts'] }),
    );
    await writeFile(scratch('package.json'), '{ "type": "module" }');
    for (const block of typescript) {
      const directory = scratch(block.page.replaceAll('/', '-'));
      await mkdir(directory, { recursive: true });
      // As many lines before it as on its page, so that an error names the right one.
      await writeFile(join(directory, fileNameOf(block)), '\n'.repeat(block.line - 1) + block.code);
    }
    const tsc = join(HOME, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', scratch()]).catch((error) => error);
    expect(stdout).toBe('');
  });

  it('with a decorator runs when it is compiled', async () => {
    const [block, ...others] = typescript.filter(({ marks }) => marks.includes('decorator'));
    expect(others).toEqual([]);
    await writeFile(scratch('decorated.ts'), block?.code ?? '');
    const tsc = join(HOME, 'node_modules', 'typescript', 'bin', 'tsc');
    // Its types are checked above.
    const options = ['--target', 'es2022', '--module', 'esnext', '--noCheck', '--noResolve'];
    await promisify(execFile)(process.execPath, [tsc, ...options, 'decorated.ts'], { cwd: scratch() });
    const { code, stdout } = await runShell('curlew describe decorated.js --json', { directory: scratch(), env: {} });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('fetchCase') });
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

  it.for(pages)('and options in the sentences of %s exist', async (page) => {
    const prose = readPage(page).replace(/^```.*?^```$/gms, '');
    const known = await knownCommands();
    const every = [...known.values()].flatMap((options) => [...options]);
    for (const [, said = ''] of prose.matchAll(/`([^`\n]+)`/g)) {
      const [, name = '', ...words] = said.split(/[ =]/);
      if (said.startsWith('curlew --')) expect(['--help', '--version'], said).toContain(name);
      else if (said.startsWith('curlew ') && !name.startsWith('<')) {
        const called = known.has(`${name} ${words[0]}`) ? `${name} ${words[0]}` : name;
        expect([...known.keys()], said).toContain(called);
        for (const word of optionsIn(said)) expect([...(known.get(called) ?? [])], said).toContain(word);
      } else if (said.startsWith('--')) {
        for (const word of optionsIn(said)) expect([...every, ...OF_OTHERS], said).toContain(word);
      }
    }
  });

  it('name every command there is', () => {
    const named = new Set(commandLines.map(([, line]) => line.split(' ', 1)[0]));
    expect(Object.keys(COMMANDS).filter((name) => !named.has(name))).toEqual([]);
  });
});

describe('what the docs say can be run', () => {
  const runnable = pages.filter((page) => executed.some((block) => block.page === page));

  it.for(runnable)('%s', async (page) => {
    // What `curlew court` serves.
    const court = closing(await startCourt({ seed: 1, highest: 500 }));
    await followPage(page, { directory: scratch(), court: new URL(court.url).host });
  });
});
