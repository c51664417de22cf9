// docs/speculation.md is true: its code compiles, its commands run, and what they are said to print is what they print.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { curlew, summaryIn } from '../fixtures/curlew-process.ts';
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

/** The court, started with the words of the guide; on any port. */
async function startCourt(command: string): Promise<string> {
  const words = command.replace('--port 8017', '--port 0').split(' ').slice(1);
  const child = spawn(process.execPath, words, { cwd: HOME, stdio: ['ignore', 'pipe', 'inherit'] });
  closeCourt = async () => {
    child.kill();
    await once(child, 'exit');
  };
  const [line] = await once(child.stdout, 'data');
  return JSON.parse(String(line)).url;
}

/** A command of the guide, on that court. */
function follow(command: string, url: string, ...more: string[]) {
  const { host } = new URL(url);
  const words = command
    .replaceAll('127.0.0.1:8017', host)
    .replace(' examples/', ` ${HOME}examples/`)
    .split(' ')
    .slice(1);
  const onCourt = words[0] === 'run' ? ['--base-url', url, '--allow-host', host, '--rate', 'off'] : [];
  return curlew([...words, ...onCourt, '--data', scratch('data'), ...more]);
}

const [session = ''] = blocks('console');
const [courtLine = '', ...shown] = session.split('\n').filter((line) => line !== '');

it('what the guide shows is what one sees', { timeout: 60_000 }, async () => {
  const url = await startCourt(courtLine.replace('$ ', ''));
  let printed = '';
  for (const line of shown) {
    if (line.startsWith('$ ')) printed = (await follow(line.slice(2), url)).stdout;
    else expect(printed.split('\n')).toContain(line);
  }
  const [summary = '', map = ''] = blocks('json');
  expect(summaryIn(await follow('curlew run examples/numbered-cases.ts', url, '--json'))).toMatchObject(
    JSON.parse(summary),
  );
  const { walks } = JSON.parse((await follow('curlew show latest', url, '--json')).stdout);
  expect(walks).toEqual([JSON.parse(map)]);
});

it('its commands run', { timeout: 60_000 }, async () => {
  const url = await startCourt(courtLine.replace('$ ', ''));
  for (const command of blocks('sh').join('').trim().split('\n')) {
    expect(summaryIn(await follow(command, url, '--json')), command).toMatchObject({ status: 'completed' });
  }
});

it('its scrapers compile and run', { timeout: 60_000 }, async () => {
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

  const url = await startCourt(courtLine.replace('$ ', ''));
  const runnable = files.filter(({ code }) => code.includes('export default') && !code.includes('@speculate'));
  for (const { path, code } of runnable) {
    const summary = summaryIn(await follow(`curlew run ${path}`, url, '--json'));
    expect(summary, code).toMatchObject({ status: 'completed', requests: { failed: 0 } });
  }
});
