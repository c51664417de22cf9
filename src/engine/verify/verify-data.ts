// Checks a data directory: the ledger, every record of the archive, every file, and every reference between them. For
// looking only, also beside a run that is being written: what is not committed yet is no damage. Memory does not grow with
// what there is. A ledger that cannot be read is told, and what can be checked without it is.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FixityLedger, type IntegrityDepth } from '../../ledger/fixity/fixity-ledger.ts';
import { LEDGER_FILE } from '../../ledger/ledger.ts';
import type { RunId } from '../../ledger/run.ts';
import { mirrorDirectory } from '../../mirror/mirror-directory.ts';
import type { Clock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';
import type { Random } from '../../platform/random.ts';
import { type Checked, nothingChecked } from './checked.ts';
import type { Finding } from './finding.ts';
import { Sample } from './sample.ts';
import { verifyExchanges } from './verify-exchanges.ts';
import { damagedLedger, lostLedger, verifyLedger } from './verify-ledger.ts';
import { verifyMirrorFiles, verifyMirrorOrphans } from './verify-mirror.ts';
import { listSegments, verifySegments } from './verify-segments.ts';
import { verifyWithoutLedger } from './verify-without-ledger.ts';

export interface VerifyOptions {
  /** Only what belongs to this run. */
  readonly run?: RunId | undefined;
  /** Look at so many pages and files, drawn at random, instead of all of them. */
  readonly sample?: number | undefined;
  /** How deep SQLite looks into its file. Default `full`, and `quick` for a sample. */
  readonly depth?: IntegrityDepth | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** What the parts of a check share. */
export interface VerifyContext {
  /** The data directory. */
  readonly path: string;
  readonly ledger: FixityLedger;
  readonly run: RunId | undefined;
  readonly checked: Checked;
  /** Whether the next page or file is looked at. */
  readonly takes: () => boolean;
  readonly isSampled: boolean;
}

/** Gives each finding as it is made; `checked` says how far it has come. Throws `ledger_newer` and `data_directory`. */
export async function* verifyData(
  path: string,
  options: VerifyOptions,
  checked: Checked = nothingChecked(),
): AsyncGenerator<Finding> {
  for await (const finding of findIn(path, options, checked)) {
    checked.findings++;
    yield finding;
  }
}

async function* findIn(path: string, options: VerifyOptions, checked: Checked): AsyncGenerator<Finding> {
  const file = join(path, LEDGER_FILE);
  if (!existsSync(file)) {
    yield lostLedger(file);
    yield* verifyWithoutLedger(path, checked);
    return;
  }
  try {
    yield* findByLedger(path, options, checked);
  } catch (error) {
    // Rows that cannot be read: what they refer to is looked at without them.
    if (!isCorrupt(error)) throw error;
    checked.ledger = undefined;
    yield damagedLedger(file, messageOf(error));
    yield* verifyWithoutLedger(path, checked);
  }
}

async function* findByLedger(path: string, options: VerifyOptions, checked: Checked): AsyncGenerator<Finding> {
  const { run, sample, depth = sample === undefined ? 'full' : 'quick', random } = options;
  const ledger = FixityLedger.open(path, options.clock);
  try {
    await assertTables(path, ledger);
    if (ledger.isEmpty) return;
    yield* verifyLedger(ledger, run, depth);
    checked.ledger = depth;
    const { exchanges, downloads } = ledger.countExchanges(run);
    const mirrorFiles = ledger.countCaseFiles(run) + (run === undefined ? ledger.countIndexFiles() : 0);
    checked.exchanges.total = exchanges;
    checked.downloads.total = downloads;
    checked.mirrorFiles.total = mirrorFiles;
    const drawn = sample === undefined ? undefined : new Sample(sample, exchanges + mirrorFiles, random);
    const takes = () => drawn === undefined || drawn.takes();
    const context: VerifyContext = { path, ledger, run, checked, takes, isSampled: drawn !== undefined };
    const segments = yield* verifySegments(context);
    yield* verifyExchanges(context, segments);
    yield* verifyMirrorFiles(context, mirrorDirectory(path));
    if (run === undefined && drawn === undefined) yield* verifyMirrorOrphans(context, mirrorDirectory(path));
  } finally {
    ledger.close();
  }
}

/** Throws `ledger_corrupt` for a ledger that was emptied. One that is being made has no tables either: nothing is stored yet. */
export async function assertTables(path: string, ledger: FixityLedger): Promise<void> {
  if (!ledger.isEmpty) return;
  const stored = [await listSegments(path), await readdir(mirrorDirectory(path).csv).catch(() => [])];
  if (stored.every(({ length }) => length === 0)) return;
  throw new CurlewError(ErrorCode.ledgerCorrupt, `${ledger.path} has no tables`);
}

function isCorrupt(error: unknown): boolean {
  return error instanceof CurlewError && error.code === ErrorCode.ledgerCorrupt;
}
