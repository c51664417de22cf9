import type { Command } from 'commander';
import { readRecords } from '../engine/record-stream.ts';
import type { StoredRecord } from '../ledger/record-table.ts';
import { lookAtData } from './look-at-data.ts';
import { addDataOption, addJsonOption, addRunArgument, type DataOption } from './options.ts';
import { recordLine } from './record-line.ts';
import { requireKind } from './require-kind.ts';
import { writeLines } from './write-output.ts';

type Options = DataOption & { readonly kind?: string; readonly invalid?: boolean };

export function define(command: Command): Command {
  addRunArgument(command)
    .option('--kind <kind>', 'only records of this kind')
    .option('--invalid', 'only invalid records, with their errors');
  addDataOption(command);
  addJsonOption(command, ', as it does without');
  return command
    .addHelpText('after', '\nExample:\n  curlew records latest --kind case | head')
    .action(async (reference: number | 'latest', options: Options) => {
      await lookAtData(options.data, async (ledger) => {
        const { id } = await ledger.run(reference);
        await requireKind(ledger, id, options.kind);
        await writeLines(undefined, lines(readRecords(ledger, id), options));
      });
    });
}

async function* lines(records: AsyncIterable<StoredRecord>, options: Options): AsyncGenerator<string> {
  for await (const found of records) {
    if (options.kind !== undefined && found.kind !== options.kind) continue;
    if (options.invalid && found.valid) continue;
    yield recordLine(found);
  }
}
