// The mirror as a user has it: `curlew mirror …` in a process of its own, on a simulated court.

import type { RunningJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { type CurlewProcess, curlew, type Ended, startCurlew } from '../fixtures/curlew-process.ts';
import { envOf } from './scrape-setup.ts';

const FAST = ['--rate', 'off', '--delay', '0', '--concurrency', '4', '--allow-host', '127.0.0.1'];

/** `curlew mirror run`, as fast as the site can. */
export function startMirror(
  site: RunningJudicialKy,
  data: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): CurlewProcess {
  const settings = { ...envOf(site), PLAYWRIGHT_RETRY_AFTER_SWEEP_SECONDS: '0', ...env };
  return startCurlew(['mirror', 'run', ...FAST, '--data', data, '--json', ...args], { env: settings });
}

/** Any other command of the mirror. */
export function mirror(
  data: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return curlew(['mirror', ...args, '--data', data], { env });
}

/** What `--json` said at the end. */
export function jsonIn({ stdout, stderr }: Ended): Record<string, unknown> {
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (last === '') throw new Error(`Nothing was printed. Standard error says: ${stderr}`);
  return JSON.parse(last);
}
