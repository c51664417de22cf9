import type { Command } from 'commander';
import { mirrorDirectory } from '../../mirror/mirror-directory.ts';
import { type CorpusCoverage, corpusCoverage } from '../../mirror/reports/corpus-coverage.ts';
import { type IndexState, sayIndexState } from '../../mirror/reports/index-state.ts';
import { systemClock } from '../../platform/clock.ts';
import { ExitCode } from '../exit-code.ts';
import { formatCount, formatTable, printable } from '../format.ts';
import { jsonLine } from '../json-line.ts';
import { lookAtData } from '../look-at-data.ts';
import { addLookOptions, type LookOptions, sourceIdOf } from './mirror-options.ts';

type Options = LookOptions & { readonly staleIndexOk?: boolean };

export function define(command: Command): Command {
  command.option('--stale-index-ok', 'leave with 0 although the index could not be brought up to date');
  addLookOptions(command);
  return command.addHelpText('after', '\nExample:\n  curlew mirror report').action(async (options: Options) => {
    const { data } = options;
    const report = await lookAtData(data, (ledger) =>
      corpusCoverage(ledger.mirror, mirrorDirectory(data), sourceIdOf(options), systemClock.now()),
    );
    if (options.json) process.stdout.write(`${jsonLine(report)}\n`);
    else {
      const { cases_held: held, cases_wanted: wanted, cases_criminal: criminal, cases_inactive: inactive } = report;
      process.stdout.write(
        `${report.source}: ${formatCount(held)} of ${formatCount(wanted)} cases are held (${percent(report.corpus_coverage)}); ` +
          `${formatCount(criminal)} criminal ones are not fetched, ${formatCount(inactive)} are gone from the index.\n` +
          `${printable(sayIndex(report.index))}.\n`,
      );
      process.stdout.write(tableOf(report.missing));
      if (report.owed.length > 0) {
        const files = report.owed.length === 1 ? 'held file' : 'held files';
        process.stdout.write(
          `${formatCount(report.owed.length)} ${files} could not be fetched again, so the court may have other bytes by now; ` +
            `the next run asks again:\n${tableOf(report.owed)}`,
        );
      }
    }
    const { state } = report.index;
    const isCurrent = state === 'confirmed' || (state === 'not_confirmed' && options.staleIndexOk === true);
    const isWhole = report.missing.length === 0 && report.owed.length === 0 && report.index.unreadable_rows === null;
    process.exitCode = isWhole && isCurrent ? ExitCode.ok : ExitCode.notOk;
  });
}

function tableOf(cases: CorpusCoverage['missing']): string {
  const rows = cases.map(({ actions_token, reason, detail, next_action }) =>
    [actions_token, reason, detail ?? '', next_action].map(printable),
  );
  return rows.length === 0 ? '' : formatTable([['case', 'reason', 'detail', 'what to do'], ...rows]);
}

/** By which version it counts, if there is one. */
function sayIndex(index: IndexState): string {
  const said = sayIndexState(index);
  return index.csv_version_id === null ? `${said.charAt(0).toUpperCase()}${said.slice(1)}` : `By ${said}`;
}

/** Rounded down: 100 % is all. */
function percent(share: number): string {
  return `${Math.floor(share * 1000) / 10} %`;
}
