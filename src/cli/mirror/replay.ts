import type { Command } from 'commander';
import { validateRuntimeConfig } from '../../mirror/config/validate-runtime-config.ts';
import { ExitCode } from '../exit-code.ts';
import { formatCount, printable } from '../format.ts';
import { jsonLine } from '../json-line.ts';
import { addJsonOption, type JsonOption } from '../options.ts';

export function define(command: Command): Command {
  command.argument('<fixtures>', 'file of replay_fixtures/, recorded with BAILIIKC_RECORD_REPLAY_FIXTURES=1');
  command.option('--sandbox <directory>', 'leave ledger and log of the replay in this new or empty directory');
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew mirror replay curlew-data/replay_fixtures/run_1_dl_bfile.jsonl')
    .action(async (path: string, options: JsonOption & { readonly sandbox?: string }) => {
      validateRuntimeConfig('replay', undefined, process.env);
      const { replayFixtures } = await import('../../mirror/replay/replay-fixtures.ts');
      const { sandbox } = options;
      const { same, cases, skipped, run_id: run } = await replayFixtures(path, { sandbox });
      if (options.json) process.stdout.write(`${jsonLine({ run_id: run, same, cases, skipped })}\n`);
      else {
        for (const { line, reason } of skipped) process.stdout.write(`Line ${line} is skipped: ${reason}.\n`);
        for (const one of cases.filter((replayed) => !replayed.same)) {
          process.stdout.write(`${printable(one.token_norm)}\n`);
          process.stdout.write(`  recorded  ${one.recorded.map(printable).join('; ')}\n`);
          process.stdout.write(`  replayed  ${one.replayed.map(printable).join('; ')}\n`);
        }
        const verdict = same ? 'the same transitions' : 'not all the same transitions';
        process.stdout.write(`Run ${run}, ${formatCount(cases.length)} cases: ${verdict}.\n`);
      }
      process.exitCode = same && skipped.length === 0 ? ExitCode.ok : ExitCode.notOk;
    });
}
