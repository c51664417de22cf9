// Asks the process that works on something to stop, as Ctrl-C would. It finishes what is on the wire; a second time it stops
// at once.

import { hostname } from 'node:os';
import type { OwnerReport } from '../../ledger/reports/run-report.ts';
import { systemCodeOf } from '../../platform/errors.ts';
import { HttpError } from '../http/http-error.ts';

/** Throws 409 `not_running` when nobody works on it, and 409 `run_elsewhere` when another machine does. */
export function stopProcess(what: string, { state, holder }: OwnerReport): void {
  if (state !== 'alive' || holder === undefined) {
    throw new HttpError(409, 'not_running', { message: `Nobody works on ${what}.` });
  }
  if (holder.machine !== hostname()) {
    throw new HttpError(409, 'run_elsewhere', {
      message: `${what} is being worked on by ${holder.machine}.`,
      remedy: 'Stop it there.',
    });
  }
  try {
    process.kill(holder.pid, 'SIGINT');
  } catch (error) {
    // It ended in this very moment.
    if (systemCodeOf(error) !== 'ESRCH') throw error;
  }
}
