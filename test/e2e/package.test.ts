// The package as a stranger gets it: packed, installed in an empty project, and used from there. What is written here as
// a scraper is what the README tells people to write.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { codeBlocksOf } from '../docs/code-blocks.ts';
import { closing } from '../fixtures/closing.ts';

const HOME = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(HOME, 'node_modules', 'typescript', 'bin', 'tsc');

const SCRAPER = `import { Scraper, entry, get, record, type Page } from 'curlew';
import { z } from 'zod';

const Case = z.object({ number: z.string(), title: z.string() });

export default class Court extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';
  start = entry(() => get('/list/civil', this.parseList));

  *parseList(page: Page) {
    for (const link of page.links('table.cases a', { atLeast: 1 })) yield get(link, this.parseCase, { court: 'civil' });
  }

  *parseCase(page: Page, { court }: { court: string }) {
    yield record('case', Case, { number: page.text('.number'), title: page.text('h1') + court.slice(99) });
  }
}
`;

const GUIDE = codeBlocksOf('docs/getting-started.md');

let home: string;
let project: string;
let contents: readonly { readonly path: string; readonly size: number }[];
let packed: { readonly size: number; readonly unpackedSize: number };

function environment(): NodeJS.ProcessEnv {
  const path = [join(project, 'node_modules', '.bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  return { ...process.env, PATH: path };
}

/** Runs a program of the project, on this Node, as npm would. */
async function inProject(command: string, ...args: string[]) {
  try {
    const options = { cwd: project, env: environment(), maxBuffer: 64 * 1024 * 1024 };
    return { code: 0, ...(await promisify(execFile)(command, args, options)) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'curlew-package-'));
  project = join(home, 'court');
  await mkdir(join(home, 'curlew'));
  const pack = ['pack', '--json', '--pack-destination', join(home, 'curlew')];
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: HOME, maxBuffer: 64 * 1024 * 1024 });
  const report = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  // An array in npm 11, an object by name in later ones.
  const { files, size, unpackedSize } = Array.isArray(report) ? report[0] : Object.values(report)[0];
  contents = files;
  packed = { size, unpackedSize };
  // As the page says, beside a checkout that has been packed.
  const [, install = ''] = GUIDE.filter(({ language }) => language === 'sh').map(({ code }) => code);
  expect(install).toContain('npm install ../curlew/curlew-');
  await promisify(execFile)('bash', ['-ec', install], { cwd: join(home, 'curlew') });
  await writeFile(join(project, 'court.ts'), SCRAPER);
});

afterAll(() => rm(home, { recursive: true, force: true }));

it('leaves a checkout that can be imported by its name, without a build', async () => {
  const script = `import { parseRobots } from 'curlew/robots'; import { Scraper } from 'curlew'; import 'curlew/testing';
    console.log(parseRobots('User-agent: *\\nDisallow: /sealed').isAllowed('curlew', 'https://court.example/sealed/1'), Scraper.name);`;
  const args = ['--no-warnings', '--input-type=module', '--eval', script];
  expect((await promisify(execFile)(process.execPath, args, { cwd: HOME })).stdout).toBe('false Scraper\n');
  expect(await readFile(join(HOME, 'dist', 'src', 'robots.js'), 'utf8')).toBe("export * from '../../src/robots.ts';\n");
});

describe('the tarball', () => {
  it('holds what runs and what explains it, and nothing else', async () => {
    const strange = contents.filter(
      ({ path }) =>
        !/^(package\.json|README\.md|LICENSE|CHANGELOG\.md|docs\/[\w-]+\.md|bin\/curlew\.js|examples\/[\w-]+\.ts)$/.test(
          path,
        ) &&
        !/^dist\/(src|sim|examples)\/.*\.js$/.test(path) &&
        !/^dist\/web\/(index\.html|theme\.js|favicon\.svg|assets\/[\w-]+\.(js|css))$/.test(path) &&
        !/^dist\/src\/(?!cli\/).*\.d\.ts$/.test(path),
    );
    expect(strange).toEqual([]);
    const paths = contents.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'docs/settings.md',
        'dist/sim/court/court.js',
        'dist/web/index.html',
      ]),
    );
    // The mirror records fixtures for its users; those of tests are not shipped.
    const others = paths.filter((path) => !path.startsWith('dist/src/mirror/replay/'));
    expect(others.filter((path) => /\.test\.|fixture|sample-|fake-|faulty-/.test(path))).toEqual([]);
    expect(packed.size).toBeLessThan(1_200_000);
  });

  it('needs no build, download or native code at install', async () => {
    const lock = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8'));
    const scripted = Object.entries<{ hasInstallScript?: boolean }>(lock.packages).filter(
      ([, p]) => p.hasInstallScript,
    );
    expect(scripted).toEqual([]);
  });
});

describe('a scraper in a project of its own', () => {
  it('runs, and what it found is there', async () => {
    const court = closing(await startCourt({ highest: 12 }));
    const where = ['--base-url', court.url, '--allow-host', new URL(court.url).host, '--rate', 'off'];
    const ran = await inProject('npx', 'curlew', 'run', 'court.ts', ...where, '--json');
    expect(ran).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Warning') });
    const summary = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '');
    expect(summary).toMatchObject({ status: 'completed', health: 'ok', records: court.expectedList('civil').length });
    const records = await inProject('npx', 'curlew', 'records', 'latest');
    expect(records.stdout.trim().split('\n')).toHaveLength(summary.records);
    expect((await inProject('npx', 'curlew', 'replay', 'latest', '--diff')).code).toBe(0);
    expect((await readdir(join(project, 'curlew-data'))).sort()).toEqual(
      expect.arrayContaining(['archive', 'ledger.sqlite']),
    );
    const shown = await inProject('npx', 'curlew', 'show', 'latest');
    expect(shown.stdout).toContain(join(project, 'court.ts'));
  });

  it('is type-checked by the declarations in the package', async () => {
    const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--erasableSyntaxOnly'];
    const check = (...files: string[]) => inProject(process.execPath, TSC, ...strict, '--types', '', ...files);
    expect(await check('court.ts')).toMatchObject({ code: 0, stdout: '' });

    const wrong = {
      'wrong-context.ts': SCRAPER.replace("{ court: 'civil' }", '{ court: 5 }'),
      'no-context.ts': SCRAPER.replace(", { court: 'civil' }", ''),
      'wrong-record.ts': SCRAPER.replace("page.text('.number')", '17'),
    };
    for (const [name, text] of Object.entries(wrong)) await writeFile(join(project, name), text);
    const { code, stdout } = await check(...Object.keys(wrong));
    expect(code).not.toBe(0);
    expect(stdout).toMatch(/^wrong-context\.ts\(11,\d+\): error TS2\d+/m);
    expect(stdout).toMatch(/^no-context\.ts\(11,\d+\): error TS2\d+/m);
    expect(stdout).toMatch(/^wrong-record\.ts\(15,\d+\): error TS2\d+/m);
    expect(stdout.match(/: error /g)).toHaveLength(3);
  });

  it('is tested with curlew/testing, and run from code', async () => {
    const court = closing(await startCourt({ highest: 12 }));
    await writeFile(
      join(project, 'code.mts'),
      `import { run } from 'curlew';
import { parseRobots } from 'curlew/robots';
import { testStep } from 'curlew/testing';
import Court from './court.mts';

const { records } = testStep(new Court(), new Court().parseCase, '<h1>A v B</h1><p class="number">1', { court: 'x' });
if (records.length !== 1) throw new Error('no record');
if (parseRobots('User-agent: *\\nDisallow: /a') === undefined) throw new Error('no robots');
const options = { data: 'from-code', baseUrl: '${court.url}', allowHosts: ['${new URL(court.url).host}'], rate: 'off' } as const;
const job = run(new Court(), options);
let found = 0;
for await (const { valid } of job.records) found += valid ? 1 : 0;
const { health } = await job.summary;
console.log(JSON.stringify({ found, health }));
`,
    );
    await writeFile(join(project, 'court.mts'), SCRAPER);
    const ran = await inProject('node', 'code.mts');
    expect(ran).toMatchObject({ code: 0 });
    expect(JSON.parse(ran.stdout)).toEqual({ found: court.expectedList('civil').length, health: 'ok' });
  });
});

describe('docs/getting-started.md', () => {
  it('works as it is written, from the tsconfig to the last command', async () => {
    const directory = join(home, 'reader');
    await mkdir(directory);
    for (const name of ['package.json', 'node_modules']) await symlink(join(project, name), join(directory, name));
    const [, , demo, court = '', ...commands] = GUIDE.filter(({ language }) => language === 'sh').map(
      ({ code }) => code,
    );
    expect([demo, court]).toEqual(['npx curlew demo\n', 'npx curlew court\n']);
    expect(commands.length).toBeGreaterThan(3);

    const child = spawn('npx', ['curlew', 'court', '--port', '0', '--json'], { cwd: directory, env: environment() });
    onTestFinished(async () => {
      const ended = once(child, 'exit');
      process.kill(served.pid, 'SIGTERM');
      await ended;
    });
    const [line] = await once(child.stdout, 'data');
    const served: { url: string; pid: number } = JSON.parse(String(line));
    const here = (code: string) => code.replaceAll('127.0.0.1:8017', new URL(served.url).host);

    for (const { language, marks, code } of GUIDE) {
      if (language !== 'sh') await writeFile(join(directory, marks[0] ?? ''), here(code));
    }
    const run = (code: string) =>
      promisify(execFile)('bash', ['-ec', here(code)], { cwd: directory, env: environment() });
    await promisify(execFile)(process.execPath, [TSC, '-p', directory]).catch(({ stdout }) => expect.fail(stdout));
    for (const code of commands) await run(code);
    expect((await readFile(join(directory, 'cases.csv'), 'utf8')).split('\n').length).toBeGreaterThan(10);
  });

  it('is where an error of the installed package points', async () => {
    const { code, stderr } = await inProject('npx', 'curlew', 'run', 'court.ts', '--user-agent', 'é');
    expect(code).toBe(2);
    const [page = ''] = /\S+settings\.md/.exec(stderr) ?? [];
    // As a reader of the message would open it, from the project.
    expect(await readFile(resolve(project, page), 'utf8')).toContain('`userAgent`');
  });
});

describe('the demo', () => {
  it('works from the package', async () => {
    const { code, stdout } = await inProject('npx', 'curlew', 'demo');
    expect(code).toBe(0);
    expect(stdout).toMatch(/cases +240 +240 +0 +0\n/);
    expect(stdout).toContain('npx curlew replay latest --diff');
    expect(stdout).toContain('The scraper is node_modules/curlew/examples/county-court.ts');
  });
});
