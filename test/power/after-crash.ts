// What the tests of power cuts share: how to go on quickly, and how to look at what was left.

import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll } from 'vitest';
import { verifyData } from '../../src/engine/verify/verify-data.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { RunSummary } from '../../src/ledger/run.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Files, systemFiles } from '../../src/platform/files.ts';
import { systemRandom } from '../../src/platform/random.ts';

/** What was resumed need not last: the test looks at it at once. */
export const quickFiles: Files = {
  ...systemFiles,
  async open(path, mode) {
    const file = await systemFiles.open(path, mode);
    file.sync = async () => {};
    return file;
  },
  syncDirectory: async () => {},
};

/** For SQLite too. */
export function withoutSync(): void {
  beforeAll(() => {
    const { exec } = DatabaseSync.prototype;
    DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
      exec.call(this, sql.replace(/PRAGMA synchronous = \w+/, 'PRAGMA synchronous = OFF'));
    };
    return () => {
      DatabaseSync.prototype.exec = exec;
    };
  });
}

/** What `curlew verify` finds. */
export async function findingsIn(data: string): Promise<string[]> {
  const findings = await Array.fromAsync(verifyData(data, { clock: systemClock, random: systemRandom }));
  return findings.map(({ kind, problem }) => `${kind}: ${problem}`);
}

/** The status of the run that the state has; undefined when it has none. */
export async function statusIn(data: string): Promise<string | undefined> {
  const ledger = await Ledger.open(data, { clock: systemClock });
  try {
    return (await ledger.runs(1))[0]?.status;
  } finally {
    await ledger.close();
  }
}

/** What a run has come to, as far as it does not depend on time. */
export interface Outcome {
  readonly summary: Pick<RunSummary, 'status' | 'health' | 'requests' | 'records' | 'invalid'>;
  readonly records: readonly string[];
  readonly exchanges: readonly string[];
  readonly files: readonly string[];
}

export async function outcomeOf(
  data: string,
  { status, health, requests, records, invalid }: RunSummary,
): Promise<Outcome> {
  const ledger = await Ledger.open(data, { clock: systemClock, readOnly: true });
  try {
    const { id } = await ledger.run('latest');
    const found = await ledger.recordsAfter(id, 0, 1_000);
    const exchanges = await ledger.exchangesAfter(id, undefined, 1_000);
    return {
      summary: { status, health, requests, records, invalid },
      records: found.map(({ kind, data }) => JSON.stringify([kind, data])).sort(),
      exchanges: exchanges
        .map((one) => `${one.url} ${one.status} ${Buffer.from(one.bodySha256).toString('hex')}`)
        .sort(),
      files: await filesIn(join(data, 'files')),
    };
  } finally {
    await ledger.close();
  }
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hashed = paths.map(async (path) => `${relative(directory, path)} ${hash('sha256', await readFile(path))}`);
  return (await Promise.all(hashed)).sort();
}
