// Opens a data directory for looking only, and closes it again.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { translate } from '../ledger/database.ts';
import { LEDGER_FILE, Ledger } from '../ledger/ledger.ts';
import { systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';

export async function lookAtData<T>(data: string, look: (ledger: Ledger) => Promise<T>): Promise<T> {
  if (!existsSync(join(data, LEDGER_FILE))) {
    throw new CurlewError(ErrorCode.runNotFound, `There are no runs in ${data}.`, {
      remedy: 'Begin one with curlew run, or name another directory with --data.',
    });
  }
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
