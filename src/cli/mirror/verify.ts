import type { Command } from 'commander';
import { mirrorDirectory } from '../../mirror/mirror-directory.ts';
import { verifyFiles } from '../../mirror/reports/verify-files.ts';
import { ExitCode } from '../exit-code.ts';
import { formatCount, printable } from '../format.ts';
import { jsonLine } from '../json-line.ts';
import { lookAtData } from '../look-at-data.ts';
import { showLive } from '../show-progress.ts';
import { addLookOptions, type LookOptions, sourceIdOf } from './mirror-options.ts';

export function define(command: Command): Command {
  addLookOptions(command);
  return command.addHelpText('after', '\nExample:\n  curlew mirror verify').action(async (options: LookOptions) => {
    const source = options.source === undefined ? undefined : sourceIdOf(options);
    let done: string | undefined;
    const shown = showLive(() => done, { bars: (text) => [text], plain: (text) => `curlew: ${text}` });
    const onChecked = (checked: number, total: number) => {
      done = `${formatCount(checked)} of ${formatCount(total)} files read`;
    };
    const result = await lookAtData(options.data, (ledger) =>
      verifyFiles(ledger.mirror, mirrorDirectory(options.data), { source, onChecked }),
    ).finally(() => shown.hide());
    if (options.json) process.stdout.write(`${jsonLine(result)}\n`);
    else {
      for (const kind of ['missing', 'changed', 'orphaned'] as const) {
        for (const path of result[kind]) process.stdout.write(`${kind.padEnd(8)}  ${printable(path)}\n`);
      }
      process.stdout.write(
        `${formatCount(result.checked)} files: ${result.ok ? 'all as the ledger knows them' : 'not all as the ledger knows them'}.\n`,
      );
    }
    process.exitCode = result.ok ? ExitCode.ok : ExitCode.notOk;
  });
}
