import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from './find-chromium.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'curlew-find-'));
});
afterEach(() => rm(root, { recursive: true }));

async function program(...parts: readonly string[]): Promise<string> {
  const path = join(root, ...parts);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '');
  await chmod(path, 0o755);
  return path;
}

describe('findChromium', () => {
  it('takes the place it is told, else CURLEW_CHROMIUM, else the PATH', async () => {
    const told = await program('told');
    const named = await program('named');
    const found = await program('bin', 'chromium-browser');
    const PATH = [join(root, 'empty'), join(root, 'bin')].join(delimiter);
    expect(await findChromium({ executablePath: told, env: { CURLEW_CHROMIUM: named, PATH } })).toBe(told);
    expect(await findChromium({ env: { CURLEW_CHROMIUM: named, PATH } })).toBe(named);
    expect(await findChromium({ env: { PATH } })).toBe(found);
  });

  it('prefers Chromium to Chrome, wherever on the PATH they are', async () => {
    await program('first', 'google-chrome');
    const chromium = await program('second', 'chromium');
    const PATH = [join(root, 'first'), join(root, 'second')].join(delimiter);
    expect(await findChromium({ env: { PATH } })).toBe(chromium);
  });

  it('looks where Chrome is installed on Windows', async () => {
    const chrome = await program('files', 'Google', 'Chrome', 'Application', 'chrome.exe');
    expect(await findChromium({ platform: 'win32', env: { PROGRAMFILES: join(root, 'files') } })).toBe(chrome);
  });

  it('does not look elsewhere when the place it is told is wrong', async () => {
    await program('bin', 'chromium');
    const env = { CURLEW_CHROMIUM: join(root, 'nothing'), PATH: join(root, 'bin') };
    await expect(findChromium({ env })).rejects.toMatchObject({
      code: 'service_missing',
      message: `No Chromium: CURLEW_CHROMIUM names ${join(root, 'nothing')}, which cannot be executed`,
    });
  });

  it('says how to get one when there is none', async () => {
    await expect(findChromium({ env: {} })).rejects.toMatchObject({
      code: 'service_missing',
      remedy: expect.stringContaining('apt-get install chromium'),
    });
  });
});
