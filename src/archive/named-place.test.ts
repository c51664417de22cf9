import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemFiles } from '../platform/files.ts';
import { FileStore } from './file-store.ts';
import { namedPlace } from './named-place.ts';
import { RejectedFiles } from './rejected-files.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-places-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function save(text: string, place: string): Promise<string> {
  const file = await (await FileStore.open(directory)).begin();
  await file.write(Buffer.from(text));
  return (await file.commit('file.txt', place)).path;
}
const read = (path: string) => readFile(join(directory, path), 'utf8');

describe('a place that an author chooses', () => {
  it('never leads out of its directory, whatever it is made of', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('..', '.', '/', '\\', '...', ' ', 'con', '\0'),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const place = namedPlace(parts.join('/'));
        if (place === undefined) return;
        expect(resolve('/files', place).startsWith('/files/named/')).toBe(true);
        expect(place.split('/').every((name) => name !== '' && !name.startsWith('.'))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['../../etc/passwd', 'named/etc/passwd'],
    ['/judgments/17.pdf', 'named/judgments/17.pdf'],
    ['a\\..\\b.pdf', 'named/a/b.pdf'],
    ['..', undefined],
    ['', undefined],
  ])('%j is %j', (path, place) => {
    expect(namedPlace(path)).toBe(place);
  });

  it('keeps what is there: the same bytes once, others beside it', async () => {
    expect(await save('one', 'a/17.pdf')).toBe('named/a/17.pdf');
    expect(await save('two', 'a/17.pdf')).toBe('named/a/17.2.pdf');
    expect(await save('one', 'a/17.pdf')).toBe('named/a/17.pdf');
    expect(await save('two', 'a/17.pdf')).toBe('named/a/17.2.pdf');
    expect(await save('three', 'a/17.pdf')).toBe('named/a/17.3.pdf');
    expect([await read('named/a/17.pdf'), await read('named/a/17.2.pdf')]).toEqual(['one', 'two']);
    expect(await readdir(join(directory, '.partial'))).toEqual([]);
  });

  it('that is a directory already, or below a file, is no reason to fail', async () => {
    await mkdir(join(directory, 'named', 'a'), { recursive: true });
    await writeFile(join(directory, 'named', 'b'), 'taken');
    expect(await save('one', 'a')).toBe('named/a.2');
    expect(await save('two', 'b/c.pdf')).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{64}\/file\.txt$/);
    expect(await read('named/b')).toBe('taken');
  });

  it('is given to one of two that come at once', async () => {
    const paths = await Promise.all(['one', 'two', 'three'].map((text) => save(text, 'x.pdf')));
    expect(paths.sort()).toEqual(['named/x.2.pdf', 'named/x.3.pdf', 'named/x.pdf']);
  });
});

describe('refused files', () => {
  it('are kept up to a number of bytes, the oldest go first, and each once', async () => {
    const rejected = new RejectedFiles(directory, systemFiles, 10);
    const take = async (text: string, sha256: string) => {
      await writeFile(join(directory, 'partial'), text);
      return rejected.take(join(directory, 'partial'), sha256.repeat(8), text.length, 'f');
    };
    expect(await take('12345', 'a')).toBe('rejected/00000001-aaaaaaaa-f');
    expect(await take('12345', 'a')).toBe('rejected/00000001-aaaaaaaa-f');
    expect(await take('67890', 'b')).toBe('rejected/00000002-bbbbbbbb-f');
    expect(await take('x', 'c')).toBe('rejected/00000003-cccccccc-f');
    expect(await take('far too long', 'd')).toBeUndefined();
    expect(await take('', 'e')).toBeUndefined();
    expect((await readdir(join(directory, 'rejected'))).sort()).toEqual(['00000002-bbbbbbbb-f', '00000003-cccccccc-f']);
  });
});
