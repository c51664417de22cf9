// docs/speculation.md is true: its code compiles, its commands run, and what they are said to print is what they print.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { runShell, type Said } from '../docs/follow-page.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const HOME = fileURLToPath(new URL('../..', import.meta.url));
const scratch = scratchDirectory();
const guide = await readFile(join(HOME, 'docs/speculation.md'), 'utf8');

/** The contents of the code blocks whose language begins so. */
function blocks(language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}[^\\n]*\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code = '']) => code,
  );
}

let closeCourt = async () => {};
afterEach(() => closeCourt());

/** The court, started with the words of the guide; on any port. The examples of the guide then lead to it. */
async function startCourt(command: string): Promise<string> {
  const words = [...command.split(' ').slice(1), '--port', '0', '--json'];
  const child = spawn(process.execPath, [join(HOME, 'bin/curlew.js'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closeCourt = async () => {
    child.kill();
    await once(child, 'exit');
  };
  const [line] = await once(child.stdout, 'data');
  const { host } = new URL(JSON.parse(String(line)).url);
  await mkdir(scratch('examples'));
  const example = await readFile(join(HOME, 'examples/numbered-cases.ts'), 'utf8');
  await writeFile(scratch('examples/numbered-cases.ts'), example.replaceAll('127.0.0.1:8017', host));
  return host;
}

/** A command of the guide, as a reader would type it, but for the court's port. */
async function follow(command: string, court: string): Promise<Said> {
  const said = await runShell(command.replaceAll('127.0.0.1:8017', court), { directory: scratch(), env: {} });
  expect(said.stderr, command).not.toMatch(/address_refused|Warning/);
  return said;
}

const summaryOf = ({ stdout }: Said) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '');

const [session = ''] = blocks('console');
const [courtLine = '', ...shown] = session.split('\n').filter((line) => line !== '');

it('what the guide shows is what one sees', async () => {
  const court = await startCourt(courtLine.replace('$ ', ''));
  let printed = '';
  for (const line of shown) {
    if (line.startsWith('$ ')) printed = (await follow(line.slice(2), court)).stdout;
    else expect(printed.split('\n')).toContain(line);
  }
  const [summary = '', map = ''] = blocks('json');
  const [, run = ''] = session.split('\n').filter((line) => line.startsWith('$ '));
  expect(summaryOf(await follow(`${run.slice(2)} --json`, court))).toMatchObject(JSON.parse(summary));
  const { walks } = JSON.parse((await follow('curlew show latest --json', court)).stdout);
  expect(walks).toEqual([JSON.parse(map)]);
});

it('its commands run', async () => {
  const court = await startCourt(courtLine.replace('$ ', ''));
  for (const command of blocks('sh').join('').trim().split('\n')) {
    expect(summaryOf(await follow(`${command} --json`, court)), command).toMatchObject({ status: 'completed' });
  }
});

it('its scrapers compile and run', async () => {
  const directory = scratch('guide');
  await mkdir(directory);
  await symlink(join(HOME, 'node_modules'), join(directory, 'node_modules'));
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  const files = blocks('ts').map((code, at) => ({ path: join(directory, `${at}.ts`), code }));
  expect(files.length).toBeGreaterThan(4);
  for (const { path, code } of files) await writeFile(path, code);
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2024', 'esnext.iterator', 'esnext.disposable'],
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    paths: { curlew: [join(HOME, 'src/index.ts')] },
  };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const tsc = join(HOME, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', directory]).catch(({ stdout }) => expect.fail(stdout));

  const court = await startCourt(courtLine.replace('$ ', ''));
  const runnable = files.filter(({ code }) => code.includes('export default') && !code.includes('@speculate'));
  for (const { path, code } of runnable) {
    const where = `--base-url http://${court} --allow-host ${court} --rate off --json`;
    const summary = summaryOf(await follow(`curlew run ${path} ${where}`, court));
    expect(summary, code).toMatchObject({ status: 'completed', requests: { failed: 0 } });
  }
});
