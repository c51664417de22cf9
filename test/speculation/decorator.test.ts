// The seed's own form, a decorated method, for code that is compiled: tsc as it is, with standard decorators, then node.

import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { get, type Scraper, speculate } from 'curlew';
import { expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { curlew, runArguments, sortedRecords, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const HOME = fileURLToPath(new URL('../..', import.meta.url));
const NUMBERED_CASES = join(HOME, 'examples/numbered-cases.ts');
const scratch = scratchDirectory();

const DECORATED = `
import { get, type Page, record, Scraper, speculate } from 'curlew';
import { z } from 'zod';

const Case = z.object({ id: z.int(), number: z.string(), title: z.string().min(1), filed: z.iso.date() });

export default class NumberedCases extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';

  @speculate({ highestObserved: 100, largestObservedGap: 20, isReal: (page) => page.maybe('.number') !== undefined })
  byNumber(id: number) {
    return get(\`/case/\${id}\`, this.parseCase);
  }

  *parseCase(page: Page) {
    yield record('case', Case, {
      id: Number(new URL(page.url).pathname.split('/').at(-1)),
      number: page.text('.number'),
      title: page.text('h1'),
      filed: page.text('time'),
    });
  }
}

const params = NumberedCases.params();
params.speculative.byNumber.definiteRange = [1, 2];
// @ts-expect-error: misspelt
(() => params.speculative.byNumbr);
`;

/** Compiles a file for ES2022 with nothing else switched on, and gives the path of the JavaScript. */
async function compile(source: string, more: object = {}): Promise<string> {
  const directory = scratch('src');
  await mkdir(directory);
  await symlink(join(HOME, 'node_modules'), join(directory, 'node_modules'));
  await writeFile(join(directory, 'court.ts'), source);
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2024', 'esnext.iterator', 'esnext.disposable'],
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    rewriteRelativeImportExtensions: true,
    rootDir: '/',
    outDir: scratch('out'),
    types: ['node'],
    paths: { curlew: [join(HOME, 'src/index.ts')] },
    ...more,
  };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['court.ts'] }));
  const tsc = join(HOME, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', directory]).catch(({ stdout }) => expect.fail(stdout));
  return scratch('out', directory, 'court.js');
}

it('a decorated method, compiled, comes to the same as a field', async () => {
  const compiled = await compile(DECORATED);
  expect(await readFile(compiled, 'utf8')).toContain('__esDecorate');
  const court = await startCourt({ seed: 3, highest: 140, holes: [[110, 121]], softMissing: [[130, 133]] });
  try {
    const field = summaryIn(await curlew(runArguments(NUMBERED_CASES, court, scratch('field'))));
    const method = summaryIn(await curlew(runArguments(compiled, court, scratch('method'))));
    expect(method.speculation).toEqual(field.speculation);
    expect(method).toMatchObject({ health: 'ok', records: court.expectedCases().length });
    expect(await sortedRecords(scratch('method'))).toEqual(await sortedRecords(scratch('field')));
  } finally {
    await court.close();
  }
});

it.each([
  ['alone', ''],
  ['beside an entry that works', 'first = entry(() => get("/case/1", this.parseCase));'],
])('a legacy decorator is refused, and no request is made: %s', async (_where, field) => {
  // Without the types of the standard, which legacy decorators do not fit: so does code that is never type-checked. Nothing but
  // the decorator names the speculator.
  const unchecked = DECORATED.replace(/const params.*/s, '')
    .replace(/\nimport \{/, '\n// @ts-nocheck\nimport { entry,')
    .replace('@speculate', `${field}\n  @speculate`);
  const compiled = await compile(unchecked, { experimentalDecorators: true });
  expect(await readFile(compiled, 'utf8')).toContain('__decorate(');
  const court = await startCourt({ seed: 3, highest: 140 });
  try {
    const ended = await curlew(runArguments(compiled, court, scratch('data')));
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(
      '@speculate of byNumber is compiled as a legacy decorator, which Curlew cannot use.',
    );
    expect(ended.stderr).toContain('Take experimentalDecorators out of tsconfig.json');
    expect(court.log.entries).toEqual([]);
  } finally {
    await court.close();
  }
});

it('a decorator on what nobody can reach is an error', () => {
  // What a compiler makes of `@speculate({}) static byNumber(id) {}`.
  const context = { kind: 'method', name: 'byNumber', static: true, private: false } as ClassMethodDecoratorContext<
    typeof Scraper,
    (this: typeof Scraper, id: number) => ReturnType<typeof get>
  >;
  expect(() => speculate({})(() => get('/'), context)).toThrow(
    '@speculate stands on byNumber, which is private or static.',
  );
});
