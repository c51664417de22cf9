// A thread that reads answers. It does one after the other, so the one that was begun with last is the one it is at.

import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../platform/clock.ts';
import { loadPartOfCurlew } from '../scraper-modules.ts';
import { watchLeftBehind } from './left-behind.ts';
import { read } from './reading.ts';
import { refuseSideEffects } from './refuse-side-effects.ts';
import { READY, type SentBatch, type Told, workThrough } from './step-batch.ts';
import { loadSteps, type StepSource } from './step-source.ts';

/** What has been read is told at least this often. */
const TELL_MS = 8;

export interface StepWorkerData {
  readonly source: StepSource;
  readonly inheriting: readonly string[];
}

const { source, inheriting } = workerData as StepWorkerData;
loadPartOfCurlew();
const definition = await loadSteps(source);

refuseSideEffects();
watchLeftBehind(definition, (left) => parentPort?.postMessage({ left } satisfies Told));
let told = 0;
const tell = (readings: Told) => {
  parentPort?.postMessage(readings);
  told = systemClock.monotonic();
};
parentPort?.on('message', (batch: SentBatch) => {
  told = systemClock.monotonic();
  const isTime = () => systemClock.monotonic() - told > TELL_MS;
  workThrough(batch, (job) => read(definition, inheriting, job), tell, isTime);
});
tell(READY);
