// The rules that keep the code livable, held by a test: dependencies point downwards only, SQL stays in the ledger, time
// and chance come in through platform/, and only fetch/ can open a connection.

import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** From the ways in down to the doors to the world. A folder may use those below it; those in one row know nothing of each other. */
const LAYERS = [
  ['index.ts', 'testing.ts', 'robots.ts'],
  ['cli'],
  ['server'],
  ['engine'],
  ['sites', 'mirror', 'fetcher'],
  ['scraper'],
  ['fetch'],
  ['ledger'],
  ['archive'],
  ['observe'],
  ['platform'],
];

interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
}

interface SourceFile {
  /** From src/. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

const files = (await readdir(SRC, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
  .map((entry) => readSource(relative(SRC, join(entry.parentPath, entry.name))));

function readSource(path: string): SourceFile {
  const code = readFileSync(join(SRC, path), 'utf8')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/(^|\s)\/\/.*$/gm, '');
  return { path, code, imports: importsIn(code) };
}

function importsIn(code: string): Import[] {
  const statics = [...code.matchAll(/^(?:import|export)\s([^;]*?)from '([^']+)';/gms)].map(
    ([, what = '', target = '']) => {
      const names =
        /\{(.*)\}/s
          .exec(what)?.[1]
          ?.split(',')
          .map((name) => name.trim())
          .filter(Boolean) ?? [];
      const onlyTypes =
        names.length > 0 && what.trim().startsWith('{') && names.every((name) => name.startsWith('type '));
      return { target, typeOnly: what.startsWith('type ') || onlyTypes };
    },
  );
  const bare = [...code.matchAll(/^import '([^']+)';/gm)].map((match) => ({ target: match[1] ?? '', typeOnly: false }));
  const dynamic = [...code.matchAll(/\bimport\('([^']+)'\)/g)].map((match) => ({
    target: match[1] ?? '',
    typeOnly: false,
  }));
  return [...statics, ...bare, ...dynamic];
}

/** The folder of src/ that a file is in, or the file itself. */
function partOf(path: string): string {
  return path.split('/', 1)[0] ?? '';
}

function layerOf(path: string): number {
  return LAYERS.findIndex((layer) => layer.includes(partOf(path)));
}

const local = files.flatMap(({ path, imports }) =>
  imports
    .filter(({ target }) => target.startsWith('.'))
    .map(({ target, typeOnly }) => ({ from: path, to: join(dirname(path), target), typeOnly })),
);

it('there is something to check', () => {
  expect(files.length).toBeGreaterThan(150);
  expect(local.length).toBeGreaterThan(500);
});

describe('dependencies', () => {
  it('every folder has its place', () => {
    expect(files.filter(({ path }) => layerOf(path) === -1).map(({ path }) => path)).toEqual([]);
  });

  it('point downwards only', () => {
    const upwards = local
      .filter(({ from, to }) => partOf(from) !== partOf(to) && !to.startsWith('..') && layerOf(from) >= layerOf(to))
      .map(({ from, to }) => `${from} → ${to}`);
    expect(upwards).toEqual([]);
  });

  it('lead out of src/ only in the demo, to the simulated court', () => {
    const outside = local.filter(({ to }) => to.startsWith('..')).map(({ from, to }) => `${from} → ${to}`);
    expect(outside).toEqual(['cli/demo.ts → ../sim/court/court.ts']);
  });

  it('of what authors import are pure: of the ledger they know types only', () => {
    const impure = local
      .filter(({ from, to, typeOnly }) => partOf(from) === 'scraper' && partOf(to) === 'ledger' && !typeOnly)
      .map(({ from, to }) => `${from} → ${to}`);
    expect(impure).toEqual([]);
    const doors = files
      .filter(({ path }) => partOf(path) === 'scraper')
      .flatMap(({ path, imports }) => imports.map(({ target }) => `${path} → ${target}`))
      .filter((found) => /→ node:(?!crypto$)/.test(found));
    expect(doors).toEqual([]);
  });
});

/** Files outside of `folders` whose code has what must not be there. */
function offenders(folders: readonly string[], forbidden: RegExp): string[] {
  return files
    .filter(({ path, code }) => !folders.includes(partOf(path)) && forbidden.test(code))
    .map(({ path, code }) => `${path}: ${forbidden.exec(code)?.[0]}`);
}

describe('doors', () => {
  it('only the ledger speaks SQL', () => {
    expect(offenders(['ledger'], /\.prepare\(|['"`]\s*(SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE TABLE)\s/)).toEqual(
      [],
    );
    expect(offenders(['ledger'], /from 'node:sqlite'/)).toEqual([]);
  });

  it('only platform/ knows the time and makes chance', () => {
    expect(offenders(['platform'], /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(/)).toEqual([]);
  });

  it('only fetch/ and platform/ can open a connection', () => {
    const network =
      /from '(undici|node:(net|tls|dns|http|https|http2|dgram)(\/promises)?|playwright-core|ws)'|[^.\w]fetch\(/;
    expect(offenders(['fetch', 'platform'], network)).toEqual([]);
  });
});

describe('the manner', () => {
  it('no file has grown beyond 400 lines', () => {
    const long = files.filter(({ path }) => readFileSync(join(SRC, path), 'utf8').split('\n').length > 400);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('names say what is inside', () => {
    const vague = files.filter(({ path }) => /(manager|helper|util)s?\.ts$/i.test(path) || /[A-Z_]/.test(path));
    // Its name is given by the seed.
    expect(vague.map(({ path }) => path)).toEqual(['sites/site-manager.ts']);
  });
});
