// `curlew verify --accept`: losses that no repair can undo are taken note of, and are no findings any more.

import { openData } from '../engine/data-directory.ts';
import type { Finding } from '../engine/verify/finding.ts';
import type { AcceptedLoss } from '../ledger/fixity/open-losses.ts';
import { systemClock } from '../platform/clock.ts';
import { ExitCode } from './exit-code.ts';
import { formatCount } from './format.ts';
import { formatFinding } from './format-finding.ts';
import { jsonLine } from './json-line.ts';
import type { DataOption, JsonOption } from './options.ts';

/** The exit code: 0 when nothing of what was found is left. */
export async function acceptFindings(
  findings: readonly Finding[],
  { data: path, json }: DataOption & JsonOption,
): Promise<ExitCode> {
  const { ledger } = await openData(path, { clock: systemClock });
  try {
    const counts = { accepted: 0, left: 0 };
    for (const finding of findings) {
      const loss = lossOf(finding);
      const isAccepted = loss !== undefined && (await ledger.acceptLoss(loss));
      counts[isAccepted ? 'accepted' : 'left']++;
      if (isAccepted && !json) process.stdout.write(`accepted: ${formatFinding(finding).split('\n', 1)}\n`);
    }
    process.stdout.write(
      json
        ? `${jsonLine({ ok: counts.left === 0, ...counts })}\n`
        : `${formatCount(counts.accepted)} accepted, ${formatCount(counts.left)} left.\n`,
    );
    return counts.left === 0 ? ExitCode.ok : ExitCode.notOk;
  } finally {
    await ledger.close();
  }
}

/** Undefined for what a repair may undo, or only a backup. */
function lossOf(finding: Finding): AcceptedLoss | undefined {
  const { kind, problem } = finding;
  if (kind === 'count_wrong') return { run: finding.run, exchange: undefined, problem };
  if (kind !== 'answer_replaced' || finding.run === undefined) return undefined;
  return { run: finding.run, exchange: finding.exchange, problem };
}
