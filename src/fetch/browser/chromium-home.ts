// The directory that one Chromium has for what it writes. It says whose it is and where the profile is, so that what a
// killed process left behind is removed by the next one, and nothing else ever is.

import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { lookUpProcess, thisProcess } from '../../platform/process-identity.ts';

const PREFIX = 'curlew-chromium-';
const OWNER = 'owner.json';
const PROFILE = 'profile-path';
/** Playwright's name for it. */
const PROFILE_PREFIX = 'playwright_chromiumdev_profile-';

const Owner = z.object({ pid: z.int().positive(), began: z.string(), machine: z.string() });

/** A new directory of this process. */
export async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), PREFIX));
  await writeFile(join(home, OWNER), JSON.stringify(thisProcess()));
  return home;
}

/** Notes where the profile of a running Chromium is. Rejects where the system does not tell how a process was started. */
export async function noteProfileOf(home: string, pid: number): Promise<void> {
  const started = await readFile(`/proc/${pid}/cmdline`, 'utf8');
  const [, path] = /(?:^|\0)--user-data-dir=([^\0]+)/.exec(started) ?? [];
  if (path !== undefined) await writeFile(join(home, PROFILE), path);
}

/** What cannot be removed is left to the system's own cleaning. */
export async function removeHome(home: string): Promise<void> {
  // The last processes of Chromium may still be writing.
  await rm(home, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
}

/** Removes the directories of processes that are dead for sure. Never rejects. */
export async function removeLeftHomes(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((candidate) => candidate.startsWith(PREFIX))) {
    const home = join(tmpdir(), name);
    if (!(await isLeft(home))) continue;
    const profile = await readFile(join(home, PROFILE), 'utf8').catch(() => '');
    if (dirname(profile) === tmpdir() && basename(profile).startsWith(PROFILE_PREFIX)) await removeHome(profile);
    await removeHome(home);
  }
}

async function isLeft(home: string): Promise<boolean> {
  try {
    const { uid } = await lstat(home);
    // In a directory that others can write to, only what is our own is as we left it.
    if (process.getuid !== undefined && uid !== process.getuid()) return false;
    return lookUpProcess(Owner.parse(JSON.parse(await readFile(join(home, OWNER), 'utf8')))) === 'dead';
  } catch {
    // Just being made, or removed, or of an older version: whose it is cannot be told.
    return false;
  }
}
