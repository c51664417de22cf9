// Whether Curlew could run here, and whether what it stored is there: settings, disk, ledger, archive, files. The same as
// `curlew health` and as `curlew mirror health`. No content is read: that is `curlew verify`.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Checked, nothingChecked } from '../engine/verify/checked.ts';
import type { Finding } from '../engine/verify/finding.ts';
import { quickCheck } from '../engine/verify/quick-check.ts';
import { LEDGER_FILE } from '../ledger/ledger.ts';
import { runHealthChecks } from '../mirror/reports/run-health-checks.ts';
import { systemClock } from '../platform/clock.ts';
import { ExitCode } from './exit-code.ts';
import { formatCount, formatTable, printable } from './format.ts';
import { formatFinding } from './format-finding.ts';
import { jsonLine } from './json-line.ts';
import { addDataOption, addJsonOption, type DataOption, type JsonOption } from './options.ts';

/** More of them say no more. */
const MOST_LISTED = 100;

export function define(command: Command): Command {
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', `\nExample:\n  ${[command.parent?.name(), command.name()].filter(Boolean).join(' ')}`)
    .action(async ({ data, json }: DataOption & JsonOption) => {
      // First: looking at the rest makes a ledger where there is none.
      const { storage, findings } = await checkStorage(data);
      const hasLedger = existsSync(join(data, LEDGER_FILE));
      // Where it is lost, a new one would only hide that.
      const report =
        hasLedger || storage.ok
          ? await runHealthChecks('cli', { data, env: process.env, clock: systemClock })
          : { ok: false, checks: {} };
      const checks = { ...report.checks, storage };
      const ok = report.ok && storage.ok;
      const rows = Object.entries(checks).map(([name, { ok, detail }]) => [
        name,
        ok ? 'ok' : 'not ok',
        printable(detail),
      ]);
      process.stdout.write(
        json ? `${jsonLine({ ok, checks, findings })}\n` : formatTable(rows) + findings.map(formatFinding).join(''),
      );
      process.exitCode = ok ? ExitCode.ok : ExitCode.notOk;
    });
}

async function checkStorage(data: string) {
  const checked = nothingChecked();
  const findings: Finding[] = [];
  let found = 0;
  for await (const finding of quickCheck(data, systemClock, checked)) {
    found++;
    if (findings.length < MOST_LISTED) findings.push(finding);
  }
  const listed = found > findings.length ? `, the first ${MOST_LISTED} of them below` : ', below';
  const detail = found === 0 ? sayChecked(checked) : `${formatCount(found)} found${listed}; curlew verify looks at all`;
  return { storage: { ok: found === 0, detail }, findings };
}

function sayChecked({ ledger, segments, downloads, mirrorFiles }: Checked): string {
  if (ledger === undefined) return 'nothing is stored yet';
  const files = formatCount(downloads.checked + mirrorFiles.checked);
  return `${formatCount(segments.checked)} segments and ${files} files have their length; curlew verify reads them`;
}
