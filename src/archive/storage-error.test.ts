import { expect, it } from 'vitest';
import { systemFiles } from '../platform/files.ts';
import { storageError } from './storage-error.ts';

const failed = (code: string) => storageError(Object.assign(new Error(code), { code }), '/d/x', '/d', systemFiles);

it.each(['EMFILE', 'ENFILE'])('advises to raise the limit of open files for %s, and blames no disk', async (code) => {
  const { remedy } = await failed(code);
  expect(remedy).toContain('ulimit -n');
  expect(remedy).not.toContain('disk');
});

it('advises to look at the disk for what the disk says', async () => {
  expect((await failed('EIO')).remedy).toContain('disk is healthy');
});
