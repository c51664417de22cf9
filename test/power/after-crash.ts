// What the tests of power cuts share: how to go on quickly, and how to look at what was left.

import { DatabaseSync } from 'node:sqlite';
import { beforeAll } from 'vitest';
import { verifyData } from '../../src/engine/verify/verify-data.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
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
