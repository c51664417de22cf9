import type { Command } from 'commander';
import { explainCase } from '../../mirror/reports/explain-case.ts';
import { formatTable, printable } from '../format.ts';
import { jsonLine } from '../json-line.ts';
import { lookAtData } from '../look-at-data.ts';
import { addLookOptions, type LookOptions, sourceIdOf } from './mirror-options.ts';

export function define(command: Command): Command {
  command.argument('<token>', 'of the case, as it stands in the index or as its file is called');
  addLookOptions(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew mirror explain FSD0151202511062025ATPLIFESCIENCE')
    .action(async (token: string, options: LookOptions) => {
      const explained = await lookAtData(options.data, (ledger) =>
        explainCase(ledger.mirror, sourceIdOf(options), token),
      );
      if (options.json) {
        process.stdout.write(`${jsonLine(explained)}\n`);
        return;
      }
      const { title, actionTokenNorm } = explained.case;
      process.stdout.write(`${printable(actionTokenNorm)}  ${printable(title ?? '')}\n`);
      const rows = explained.steps.map(({ at, run_id, what }) => [
        at,
        run_id === null ? '' : `run ${run_id}`,
        printable(what),
      ]);
      process.stdout.write(formatTable(rows));
    });
}
