// `curlew verify --repair`: what was found is fetched again or rebuilt, and each is told.

import { openData } from '../engine/data-directory.ts';
import { isWhole, type Repair } from '../engine/repair/repair.ts';
import { RepairPlan } from '../engine/repair/repair-plan.ts';
import type { Finding } from '../engine/verify/finding.ts';
import { verifyLedger } from '../engine/verify/verify-ledger.ts';
import { FixityLedger } from '../ledger/fixity/fixity-ledger.ts';
import { systemClock } from '../platform/clock.ts';
import { ExitCode } from './exit-code.ts';
import { formatCount, printable } from './format.ts';
import { jsonLine } from './json-line.ts';
import { onSignals } from './on-signals.ts';
import { type DataOption, type FetchOptions, type JsonOption, settingsFrom } from './options.ts';

type Options = DataOption & JsonOption & FetchOptions & { readonly dryRun?: boolean };

/** The exit code: 0 when nothing of what was found is left. */
export async function repairFindings(findings: readonly Finding[], options: Options): Promise<ExitCode> {
  const data = await openData(options.data, { clock: systemClock });
  try {
    const plan = new RepairPlan();
    for (const finding of findings) {
      await plan.add(finding, async (exchange) => (await data.ledger.exchange(exchange))?.requestId);
    }
    if (options.dryRun) {
      await tellPlan(plan, data.ledger, options);
      return ExitCode.notOk;
    }
    const { repairData } = await import('../engine/repair/repair-data.ts');
    const stop = new AbortController();
    const abort = new AbortController();
    const release = onSignals((count) => (count === 1 ? stop : abort).abort(STOPPED));
    const counts = { repaired: 0, left: plan.others };
    try {
      await repairData(data, plan, settingsFrom(options), { stop: stop.signal, abort: abort.signal }, (repair) => {
        counts[isWhole(repair) ? 'repaired' : 'left']++;
        process.stdout.write(options.json ? `${jsonLine(repair)}\n` : formatRepair(repair));
      });
    } catch (error) {
      if (error !== STOPPED) throw error;
      return ExitCode.interrupted;
    } finally {
      release();
    }
    if (plan.rebuildsIndexes) counts.left += countLedgerFindings(options.data);
    process.stdout.write(
      options.json
        ? `${jsonLine({ ok: counts.left === 0, ...counts })}\n`
        : `${formatCount(counts.repaired)} repaired, ${formatCount(counts.left)} left.\n`,
    );
    return counts.left === 0 ? ExitCode.ok : ExitCode.notOk;
  } finally {
    await data.ledger.close();
  }
}

function countLedgerFindings(data: string): number {
  const ledger = FixityLedger.open(data, systemClock);
  try {
    return [...verifyLedger(ledger, undefined, 'full')].length;
  } finally {
    ledger.close();
  }
}

async function tellPlan(
  plan: RepairPlan,
  ledger: Awaited<ReturnType<typeof openData>>['ledger'],
  { json }: Options,
): Promise<void> {
  for (const [run, requests] of plan.runs) {
    for (const request of requests.keys()) {
      const url = (await ledger.request(request))?.spec.url ?? `request ${request}`;
      const would = { kind: 'would_fetch', url, run, request };
      process.stdout.write(json ? `${jsonLine(would)}\n` : `would fetch  ${printable(url)}, run ${run}\n`);
    }
  }
  for (const [source, cases] of plan.mirrors) {
    for (const { token, file } of cases) {
      const would = { kind: 'would_download', source, token, file };
      process.stdout.write(json ? `${jsonLine(would)}\n` : `would download  ${printable(`${source} ${token}`)}\n`);
    }
  }
  if (plan.rebuildsIndexes) {
    process.stdout.write(
      json ? `${jsonLine({ kind: 'would_rebuild' })}\n` : 'would rebuild the indexes of the ledger\n',
    );
  }
  const { requests, others } = plan;
  process.stdout.write(
    json
      ? `${jsonLine({ ok: false, requests, others })}\n`
      : `${formatCount(requests)} to fetch; ${formatCount(others)} findings that no repair is for.\n`,
  );
}

function formatRepair({ kind, url, run, why }: Repair): string {
  return `${kind.replace('_', ' ')}  ${printable(url)}${run === undefined ? '' : `, run ${run}`}\n    ${printable(why)}.\n`;
}

const STOPPED = new Error('The repair is being stopped.');
