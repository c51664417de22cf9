// A thread that reads answers. It does one after the other, so the one that was begun with last is the one it is at.

import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../platform/clock.ts';
import { loadPartOfCurlew } from '../scraper-modules.ts';
import { type Reading, read } from './reading.ts';
import { begin, packReadings, READY, type SentBatch, unpackJobs } from './step-batch.ts';
import { loadSteps, type StepSource } from './step-source.ts';
import { refuseExit } from './time-limit.ts';

/** What has been read is told at least this often. */
const TELL_MS = 8;

export interface StepWorkerData {
  readonly source: StepSource;
  readonly inheriting: readonly string[];
  readonly states: Int32Array;
}

const { source, inheriting, states } = workerData as StepWorkerData;
loadPartOfCurlew();
const definition = await loadSteps(source);

process.exit = refuseExit;
parentPort?.on('message', (batch: SentBatch) => {
  let told = systemClock.monotonic();
  let readings: (readonly [number, Reading])[] = [];
  const tell = () => {
    if (readings.length > 0) parentPort?.postMessage(packReadings(readings));
    readings = [];
    told = systemClock.monotonic();
  };
  for (const [index, job] of unpackJobs(batch).entries()) {
    if (!begin(states, index)) continue;
    readings.push([index, read(definition, inheriting, job)]);
    if (systemClock.monotonic() - told > TELL_MS) tell();
  }
  tell();
});
parentPort?.postMessage(READY);
