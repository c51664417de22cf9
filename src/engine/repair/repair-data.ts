// Repairs what is planned: what follows from other rows is rebuilt, and damaged pages and downloads are fetched again, run by
// run. A run that a process works on, or that was killed, is left alone.

import type { Patience } from '../../fetch/patience.ts';
import { CurlewError } from '../../platform/errors.ts';
import type { DataDirectory } from '../data-directory.ts';
import type { SettingsInput } from '../settings.ts';
import type { Repair } from './repair.ts';
import { repairMirror } from './repair-mirror.ts';
import type { RepairPlan } from './repair-plan.ts';
import { repairRun } from './repair-run.ts';

export async function repairData(
  data: DataDirectory,
  plan: RepairPlan,
  settings: SettingsInput,
  patience: Patience,
  onRepair: (repair: Repair) => void,
): Promise<void> {
  if (plan.rebuildsIndexes) await data.ledger.rebuildIndexes(plan.counts);
  for (const [source, cases] of plan.mirrors) {
    await repairMirror(data.path, source, cases, settings, patience, onRepair);
  }
  for (const [run, requests] of plan.runs) {
    try {
      const { status } = await data.ledger.run(run);
      if (status === 'running' && (await data.ledger.holderOf(run)) === undefined) {
        throw new CurlewError('run_owned', `Run ${run} was killed: go on with curlew resume ${run} first.`);
      }
      await repairRun(data, run, requests, settings, patience, onRepair);
    } catch (error) {
      if (!(error instanceof CurlewError)) throw error;
      for (const request of requests.keys()) {
        const url = (await data.ledger.request(request))?.spec.url ?? `request ${request}`;
        onRepair({ kind: 'failed', url, run, request, why: error.message });
      }
    }
  }
}
