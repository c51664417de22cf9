// Opens a data directory for looking only, and closes it again.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { translate } from '../ledger/database.ts';
import { LEDGER_FILE, Ledger } from '../ledger/ledger.ts';
import { systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';

export async function lookAtData<T>(data: string, look: (ledger: Ledger) => Promise<T>): Promise<T> {
  assertData(data);
  try {
    const ledger = await Ledger.open(data, { clock: systemClock, readOnly: true });
    try {
      return await look(ledger);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    throw translate(join(data, LEDGER_FILE), error);
  }
}

/** Whether anything was ever run there: looking must not make a ledger. */
export function hasData(data: string): boolean {
  return existsSync(join(data, LEDGER_FILE));
}

/** Throws `run_not_found` when nothing was. */
export function assertData(data: string): void {
  if (hasData(data)) return;
  throw new CurlewError(ErrorCode.runNotFound, `There are no runs in ${data}.`, {
    remedy: 'Begin one with curlew run SCRAPER.ts, or name another directory with --data.',
  });
}
