// The public API as its declarations tell it: nothing without an explanation, and no signature that names a type which
// whoever calls it cannot name.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as api from '../../src/index.ts';
import { type Declaration, Declarations } from './declarations.ts';

const HOME = fileURLToPath(new URL('../..', import.meta.url));

let directory: string;
let exported: readonly (readonly [name: string, declaration: Declaration])[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-declarations-'));
  const tsc = join(HOME, 'node_modules', 'typescript', 'bin', 'tsc');
  const emit = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', directory];
  await promisify(execFile)(process.execPath, [tsc, ...emit], { cwd: HOME });
  const declarations = new Declarations(join(directory, 'src'));
  exported = ['index', 'testing', 'robots'].flatMap((entry) => [...declarations.exportsOf(entry)]);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

it('every export is seen here', () => {
  expect(exported.map(([name]) => name)).toEqual(
    expect.arrayContaining([...Object.keys(api), 'RunSummary', 'testStep']),
  );
});

it('every export has a doc comment', () => {
  expect(exported.filter(([, { documented }]) => !documented).map(([name]) => name)).toEqual([]);
});

it('every type of ours that an export names is exported too', () => {
  const ids = new Set(exported.map(([, { id }]) => id));
  const hidden = exported.flatMap(([name, { names }]) =>
    names.filter((id) => !ids.has(id)).map((id) => `${name} names ${id}`),
  );
  expect(hidden).toEqual([]);
});

it('no name means two things', () => {
  const names = exported.map(([name]) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
