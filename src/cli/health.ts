// Whether Curlew could run here: settings, disk, ledger, files. The same as `curlew health` and as `curlew mirror health`.

import type { Command } from 'commander';
import { runHealthChecks } from '../mirror/reports/run-health-checks.ts';
import { systemClock } from '../platform/clock.ts';
import { ExitCode } from './exit-code.ts';
import { formatTable, printable } from './format.ts';
import { jsonLine } from './json-line.ts';
import { addDataOption, addJsonOption, type DataOption, type JsonOption } from './options.ts';

export function define(command: Command): Command {
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', `\nExample:\n  ${[command.parent?.name(), command.name()].filter(Boolean).join(' ')}`)
    .action(async ({ data, json }: DataOption & JsonOption) => {
      const report = await runHealthChecks('cli', { data, env: process.env, clock: systemClock });
      const rows = Object.entries(report.checks).map(([name, { ok, detail }]) => [
        name,
        ok ? 'ok' : 'not ok',
        printable(detail),
      ]);
      process.stdout.write(json ? `${jsonLine(report)}\n` : formatTable(rows));
      process.exitCode = report.ok ? ExitCode.ok : ExitCode.notOk;
    });
}
