// Files of a mirror that are damaged: the mirror downloads their cases again, in a run of its own. It puts the same bytes where
// they were; other bytes are a newer version, and the old one stays a finding.

import { join } from 'node:path';
import { checkFile } from '../../archive/check-file.ts';
import type { Patience } from '../../fetch/patience.ts';
import { FixityLedger } from '../../ledger/fixity/fixity-ledger.ts';
import { readConfig } from '../../mirror/config/mirror-config.ts';
import { mirrorDirectory } from '../../mirror/mirror-directory.ts';
import { runScrape } from '../../mirror/run-scrape.ts';
import { systemClock } from '../../platform/clock.ts';
import { CurlewError } from '../../platform/errors.ts';
import type { SettingsInput } from '../settings.ts';
import type { Repair } from './repair.ts';
import type { DamagedCase } from './repair-plan.ts';

const DELAY_MS = 1_000;
const MOST_ATTEMPTS = 3;

export async function repairMirror(
  data: string,
  source: string,
  cases: readonly DamagedCase[],
  { rate, robots, allowHosts, userAgent, proxy, patienceMs }: SettingsInput,
  patience: Patience,
  onRepair: (repair: Repair) => void,
): Promise<void> {
  const fetch = {
    ...(rate !== undefined && { rate }),
    ...(robots !== undefined && { robots }),
    ...(allowHosts !== undefined && { allowHosts }),
    ...(patienceMs !== undefined && { patienceMs }),
    userAgent,
    proxy,
  };
  const why = await downloadAgain(data, source, [...new Set(cases.map(({ token }) => token))], fetch, patience);
  const ledger = FixityLedger.open(data, systemClock);
  try {
    for (const { token, file, run } of cases) {
      const digest = ledger.caseFileAt(file);
      const state = digest && (await checkFile(join(mirrorDirectory(data).pdfs, file), digest));
      const place = { url: `pdfs/${file} (${source} ${token})`, run, request: undefined };
      if (state === 'sound') onRepair({ kind: 'repaired', ...place, why: 'the court sent the same bytes again' });
      else onRepair({ kind: 'failed', ...place, why });
    }
  } finally {
    ledger.close();
  }
}

/** Gives why a file may not be there again afterwards. */
async function downloadAgain(
  data: string,
  source: string,
  cases: readonly string[],
  fetch: NonNullable<Parameters<typeof runScrape>[1]>['fetch'],
  patience: Patience,
): Promise<string> {
  const params = {
    mode: 'new',
    targetSource: source,
    perDownloadDelayMs: DELAY_MS,
    maxRetries: MOST_ATTEMPTS,
    concurrency: readConfig(process.env).config.maxParallelDownloads,
    resumeStrategy: 'none',
    dryRun: false,
    limit: undefined,
    cases,
    trigger: 'cli',
    acceptShrink: false,
  } as const;
  try {
    const { runId, filesAmended, errorCounts } = await runScrape(params, { data, fetch, patience });
    const codes = Object.keys(errorCounts);
    if (codes.length > 0)
      return `it could not be downloaded again: ${codes.join(', ')}; see curlew mirror run-summary ${runId}`;
    if (filesAmended > 0) return 'the court has another file now, which is kept as a newer version';
    return `the mirror did not fetch it: see curlew mirror run-summary ${runId}`;
  } catch (error) {
    if (!(error instanceof CurlewError)) throw error;
    return error.message;
  }
}
