// The ledger by itself: SQLite's own check of its file, and the references and counts within it.

import type { FixityLedger, IntegrityDepth } from '../../ledger/fixity/fixity-ledger.ts';
import type { RunId } from '../../ledger/run.ts';
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';
import type { Finding } from './finding.ts';

const RESTORE =
  'Restore ledger.sqlite from a backup, or rescue what SQLite can read: sqlite3 ledger.sqlite .recover | sqlite3 new.sqlite';

export function damagedLedger(path: string, problem: string): Finding {
  return { kind: 'ledger_damaged', path, problem: `The ledger is damaged: ${problem}`, remedy: `${RESTORE}.` };
}

export function lostLedger(path: string): Finding {
  const remedy = 'Restore ledger.sqlite from a backup. The records in archive/ can be read by any WARC tool meanwhile.';
  return { kind: 'ledger_damaged', path, problem: 'The ledger is missing', remedy };
}

/** Each part is tried for itself: what one cannot read, another may. */
export function* verifyLedger(ledger: FixityLedger, run: RunId | undefined, depth: IntegrityDepth): Generator<Finding> {
  for (const line of ledger.integrity(depth)) yield damagedLedger(ledger.path, line);
  const parts = [() => foreignKeys(ledger, run), () => references(ledger, run), () => counts(ledger, run)];
  for (const part of parts) {
    try {
      yield* part();
    } catch (error) {
      if (!(error instanceof CurlewError) || error.code !== ErrorCode.ledgerCorrupt) throw error;
      yield damagedLedger(ledger.path, messageOf(error));
    }
  }
}

function foreignKeys(ledger: FixityLedger, run: RunId | undefined): Finding[] {
  if (run !== undefined) return [];
  return ledger.foreignKeys().map(({ table, row, parent }) => ({
    kind: 'foreign_key',
    table,
    row,
    problem: `Row ${row ?? '?'} of ${table} refers to a row of ${parent} that is not there`,
    remedy: `${RESTORE}.`,
  }));
}

function references(ledger: FixityLedger, run: RunId | undefined): Finding[] {
  return ledger.brokenReferences(run).map(({ table, row, run: of, problem }) => ({
    kind: 'reference_broken',
    table,
    row,
    run: of,
    problem: `Row ${row} of ${table} ${problem}`,
    remedy:
      table === 'bodies'
        ? 'It is an index: the next page with this body is archived whole, and the index then leads there.'
        : `Rows were lost. ${RESTORE}.`,
  }));
}

function lostOf(less: number): string {
  return less <= 0 ? '' : `: ${less} ${less === 1 ? 'is' : 'are'} lost or changed`;
}

function counts(ledger: FixityLedger, run: RunId | undefined): Finding[] {
  return ledger.wrongCounts(run).map(({ run: of, host, what, kept, counted }) => ({
    kind: 'count_wrong',
    run: of,
    host,
    what,
    isLess: counted < kept,
    problem: `Run ${of} has ${counted} ${what} of ${host}, and the ledger's count says ${kept}${lostOf(kept - counted)}`,
    remedy:
      counted < kept
        ? `Restore ledger.sqlite from a backup. Records can be read from the archive again: curlew replay ${of}. ` +
          `If it is lost for good: curlew verify ${of} --accept.`
        : `Rows were lost or changed. ${RESTORE}.`,
  }));
}
