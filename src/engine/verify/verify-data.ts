// Checks a data directory: the ledger, every record of the archive, every file, and every reference between them. For
// looking only, also beside a run that is being written: what is not committed yet is no damage. Memory does not grow with
// what there is. A ledger that cannot be read is told, and what can be checked without it is.

import { existsSync } from 'node:fs';
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
import { verifySegments } from './verify-segments.ts';
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
  let ledger: FixityLedger;
  try {
    ledger = FixityLedger.open(path, options.clock);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    yield damagedLedger(file, messageOf(error));
    yield* verifyWithoutLedger(path, checked);
    return;
  }
  try {
    yield* verifyAll(path, ledger, options, checked);
  } finally {
    ledger.close();
  }
}

async function* verifyAll(
  path: string,
  ledger: FixityLedger,
  { run, sample, depth = sample === undefined ? 'full' : 'quick', random }: VerifyOptions,
  checked: Checked,
): AsyncGenerator<Finding> {
  yield* verifyLedger(ledger, run, depth);
  checked.ledger = depth;
  try {
    const { exchanges, downloads } = ledger.countExchanges(run);
    const mirrorFiles = ledger.countCaseFiles(run) + (run === undefined ? ledger.countIndexFiles() : 0);
    Object.assign(checked.exchanges, { total: exchanges });
    Object.assign(checked.downloads, { total: downloads });
    Object.assign(checked.mirrorFiles, { total: mirrorFiles });
    const drawn = sample === undefined ? undefined : new Sample(sample, exchanges + mirrorFiles, random);
    const takes = () => drawn === undefined || drawn.takes();
    const context: VerifyContext = { path, ledger, run, checked, takes, isSampled: drawn !== undefined };
    const segments = yield* verifySegments(context);
    yield* verifyExchanges(context, segments);
    yield* verifyMirrorFiles(context, mirrorDirectory(path));
    if (run === undefined && drawn === undefined) yield* verifyMirrorOrphans(context, mirrorDirectory(path));
  } catch (error) {
    // Rows that cannot be read: what they refer to is looked at without them.
    if (!isCorrupt(error)) throw error;
    checked.ledger = undefined;
    yield damagedLedger(ledger.path, messageOf(error));
    yield* verifyWithoutLedger(path, checked);
  }
}

function isCorrupt(error: unknown): boolean {
  return error instanceof CurlewError && error.code === ErrorCode.ledgerCorrupt;
}
