import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scratchDirectory } from '../../test/fixtures/scratch-directory.ts';
import { makeDirectory } from './make-directory.ts';

const scratch = scratchDirectory();

describe('makeDirectory', () => {
  it('makes a directory and its parents, and leaves one that exists alone', () => {
    const path = scratch('a', 'b', 'c');
    makeDirectory(path);
    makeDirectory(path);
    expect(existsSync(path)).toBe(true);
  });

  it('fails below a file', () => {
    writeFileSync(scratch('file'), '');
    expect(() => makeDirectory(scratch('file', 'below'))).toThrow('ENOTDIR');
  });

  it.runIf(existsSync('/proc'))('fails, and ends, where the system denies that there can be a directory', () => {
    expect(() => makeDirectory('/proc/nowhere/at/all')).toThrow('ENOENT');
  });
});
