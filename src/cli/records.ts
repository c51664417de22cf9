import type { Command } from 'commander';
import { readRecords } from '../engine/record-stream.ts';
import { lookAtData } from './look-at-data.ts';
import { addDataOption, type DataOption, readRun } from './options.ts';
import { writeLines } from './write-lines.ts';

type Options = DataOption & { readonly kind?: string; readonly invalid?: boolean };

export function define(command: Command): Command {
  command
    .argument('<run>', 'number of the run, or latest', readRun)
    .option('--kind <kind>', 'only records of this kind')
    .option('--invalid', 'only invalid records, with their errors');
  addDataOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew records latest --kind case | head')
    .action(async (reference: number | 'latest', options: Options) => {
      await lookAtData(options.data, async (ledger) => {
        const { id } = await ledger.run(reference);
        await writeLines(process.stdout, lines(readRecords(ledger, id), options));
      });
    });
}

async function* lines(records: ReturnType<typeof readRecords>, options: Options): AsyncGenerator<string> {
  for await (const { kind, data, url, step, valid, errors } of records) {
    if (options.kind !== undefined && kind !== options.kind) continue;
    if (options.invalid && valid) continue;
    yield JSON.stringify({ kind, data, url, step, valid, ...(errors !== undefined && { errors }) });
  }
}
