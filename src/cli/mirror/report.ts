import type { Command } from 'commander';
import { mirrorDirectory } from '../../mirror/mirror-directory.ts';
import { corpusCoverage } from '../../mirror/reports/corpus-coverage.ts';
import { ExitCode } from '../exit-code.ts';
import { formatCount, formatTable, printable } from '../format.ts';
import { jsonLine } from '../json-line.ts';
import { lookAtData } from '../look-at-data.ts';
import { addLookOptions, type LookOptions, sourceIdOf } from './mirror-options.ts';

export function define(command: Command): Command {
  addLookOptions(command);
  return command.addHelpText('after', '\nExample:\n  curlew mirror report').action(async (options: LookOptions) => {
    const { data } = options;
    const report = await lookAtData(data, (ledger) =>
      corpusCoverage(ledger.mirror, mirrorDirectory(data), sourceIdOf(options)),
    );
    if (options.json) process.stdout.write(`${jsonLine(report)}\n`);
    else {
      const { cases_held: held, cases_wanted: wanted, cases_criminal: criminal, cases_inactive: inactive } = report;
      process.stdout.write(
        `${report.source}: ${formatCount(held)} of ${formatCount(wanted)} cases are held (${percent(report.corpus_coverage)}); ` +
          `${formatCount(criminal)} criminal ones are not fetched, ${formatCount(inactive)} are gone from the index.\n`,
      );
      const rows = report.missing.map(({ actions_token, reason, detail, next_action }) =>
        [actions_token, reason, detail ?? '', next_action].map(printable),
      );
      if (rows.length > 0) process.stdout.write(formatTable([['case', 'reason', 'detail', 'what to do'], ...rows]));
    }
    process.exitCode = report.missing.length === 0 ? ExitCode.ok : ExitCode.notOk;
  });
}

/** Rounded down: 100 % is all. */
function percent(share: number): string {
  return `${Math.floor(share * 1000) / 10} %`;
}
