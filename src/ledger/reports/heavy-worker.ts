// The thread in which heavy reports are made: one after the other, each answered by its number.

import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import { Database } from '../database.ts';
import { LEDGER_FILE, Ledger } from '../ledger.ts';
import { type HeavyJob, workOff } from './heavy-job.ts';

const data = String(workerData);
const ledger = await Ledger.open(data, { clock: systemClock, readOnly: true });
const database = Database.open(join(data, LEDGER_FILE), { readOnly: true });

let before: Promise<void> = Promise.resolve();

parentPort?.on('message', ({ number, job }: { readonly number: number; readonly job: HeavyJob }) => {
  before = before.then(async () => {
    try {
      parentPort?.postMessage({ number, answer: await workOff(ledger, database, job) });
    } catch (error) {
      parentPort?.postMessage({ number, error: messageOf(error) });
    }
  });
});
