import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { thisProcess } from '../../platform/process-identity.ts';
import { makeHome, removeHome, removeLeftHomes } from './chromium-home.ts';

let place = '';

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'curlew-homes-'));
  vi.stubEnv('TMPDIR', place);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(place, { recursive: true });
  });
});

const DEAD = { ...thisProcess(), pid: spawnSync(process.execPath, ['--version']).pid };

/** A directory as a process would have left it. */
function leave(name: string, owner: string | undefined): void {
  mkdirSync(join(place, name, 'chromium', 'Default'), { recursive: true });
  if (owner !== undefined) writeFileSync(join(place, name, 'owner.json'), owner);
}

describe('what a process left behind', () => {
  it('is removed when it is dead, whatever is in it', async () => {
    leave('kept', undefined);
    leave('curlew-chromium-a', JSON.stringify(DEAD));
    leave('curlew-chromium-b', JSON.stringify({ ...thisProcess(), began: 'another time' }));
    symlinkSync(join(place, 'kept'), join(place, 'curlew-chromium-a', 'link'));
    await removeLeftHomes();
    expect(readdirSync(place)).toEqual(['kept']);
    expect(readdirSync(join(place, 'kept'))).toEqual(['chromium']);
  });

  it('is removed with the profile that belongs to it, and with nothing else that is named so', async () => {
    leave('playwright_chromiumdev_profile-a', undefined);
    leave('playwright_chromiumdev_profile-b', undefined);
    leave('mine', undefined);
    leave('curlew-chromium-a', JSON.stringify(DEAD));
    leave('curlew-chromium-b', JSON.stringify(DEAD));
    writeFileSync(join(place, 'curlew-chromium-a', 'profile-path'), join(place, 'playwright_chromiumdev_profile-a'));
    writeFileSync(join(place, 'curlew-chromium-b', 'profile-path'), join(place, 'mine'));
    await removeLeftHomes();
    expect(readdirSync(place).sort()).toEqual(['mine', 'playwright_chromiumdev_profile-b']);
  });

  it.each([
    ['it may live on another machine', JSON.stringify({ ...DEAD, machine: 'another.example' })],
    ['it does not say whose it is', undefined],
    ['it says so in a way that nobody understands', '{"pid": -1}'],
  ])('stays when %s', async (_why, owner) => {
    leave('curlew-chromium-c', owner);
    await removeLeftHomes();
    expect(readdirSync(place)).toEqual(['curlew-chromium-c']);
  });

  it('stays while its process lives', async () => {
    const home = await makeHome();
    await removeLeftHomes();
    expect(readdirSync(place)).toHaveLength(1);
    await removeHome(home);
    expect(readdirSync(place)).toEqual([]);
  });
});
