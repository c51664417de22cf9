// `npm ci` needs lock files that know the optional packages of every platform, not only of the one they were made on.
// A lock file names no registry, so that it can be used with any.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const HOME = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(HOME, path), 'utf8');

const Names = z.record(z.string(), z.string()).default({});
const LockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      optional: z.boolean().default(false),
      os: z.array(z.string()).default([]),
      cpu: z.array(z.string()).default([]),
      dependencies: Names,
      devDependencies: Names,
      optionalDependencies: Names,
    }),
  ),
});

/** Where Node looks for the package `name` when the package in the folder `from` asks for it: nearest folder first. */
function placesOf(name: string, from: string): readonly string[] {
  const above = [...from.matchAll(/\/node_modules\//g)].map(({ index }) => from.slice(0, index)).toReversed();
  const folders = from === '' ? [''] : [from, ...above, ''];
  return folders.map((folder) => (folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`));
}

describe.each(['package-lock.json', 'bench/package-lock.json', 'test/mutation/package-lock.json'])('%s', (path) => {
  const { packages } = LockFile.parse(JSON.parse(read(path)));

  it('knows every package that another one asks for, those of other platforms included', () => {
    const missing = Object.entries(packages).flatMap(
      ([from, { dependencies, devDependencies, optionalDependencies }]) =>
        Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
          .filter((name) => !placesOf(name, from).some((place) => place in packages))
          .map((name) => `${from || 'the project'} asks for ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('names no registry', () => {
    const located = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined);
    expect(located).toEqual([]);
  });

  it('has a checksum for every package, except optional ones for platforms that no test runs on', () => {
    const unchecked = Object.entries(packages).filter(([from, { version, integrity, optional, os, cpu }]) => {
      if (from === '' || integrity !== undefined) return false;
      const isElsewhere = optional && !(os.includes('linux') && (cpu.includes('x64') || cpu.includes('arm64')));
      return version === undefined || !isElsewhere || os.length + cpu.length === 0;
    });
    expect(unchecked.map(([from]) => from)).toEqual([]);
  });
});

describe('installing', () => {
  it.each(['.ci/run', 'deploy/Dockerfile'])('%s uses npm ci, and nothing else when that fails', (path) => {
    const commands = read(path)
      .split('\n')
      .filter((line) => !line.startsWith('#') && /\bnpm (?:ci|i|install)\b/.test(line));
    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatch(/^(?:RUN )?npm ci(?: --ignore-scripts)?$/);
  });
});
