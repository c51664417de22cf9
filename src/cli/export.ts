import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { openData } from '../engine/data-directory.ts';
import { columnsOf, csvLines } from '../engine/export-csv.ts';
import { exportWarc } from '../engine/export-warc.ts';
import { readRecords } from '../engine/record-stream.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { StoredRecord } from '../ledger/record-table.ts';
import type { RunId } from '../ledger/run.ts';
import { systemClock } from '../platform/clock.ts';
import { lookAtData } from './look-at-data.ts';
import { addDataOption, type DataOption, readRun } from './options.ts';
import { writeLines } from './write-lines.ts';

type Options = DataOption & {
  readonly format: 'jsonl' | 'csv' | 'warc';
  readonly kind?: string;
  readonly output?: string;
};

export function define(command: Command): Command {
  command
    .argument('<run>', 'number of the run, or latest', readRun)
    .addOption(new Option('--format <format>', 'what to write').choices(['jsonl', 'csv', 'warc']).default('jsonl'))
    .option('--kind <kind>', 'only records of this kind (not for warc)')
    .option('-o, --output <file>', 'where to write it (default: standard output)');
  addDataOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew export latest --format csv --kind case -o cases.csv')
    .action(async (reference: number | 'latest', options: Options) => {
      await lookAtData(options.data, async (ledger) => {
        const { id } = await ledger.run(reference);
        if (options.format === 'warc') await writeArchive(id, options);
        else await writeRecords(ledger, id, options);
      });
    });
}

async function writeArchive(id: RunId, { data: path, output }: Options): Promise<void> {
  const data = await openData(path, { clock: systemClock, readOnly: true });
  try {
    await exportWarc(data, id, output ?? process.stdout);
  } finally {
    await data.ledger.close();
  }
}

async function writeRecords(ledger: Ledger, id: RunId, options: Options): Promise<void> {
  const records = () => ofKind(readRecords(ledger, id), options.kind);
  const lines = options.format === 'csv' ? csvLines(records(), await columnsOf(records())) : jsonLines(records());
  const target: Writable = options.output === undefined ? process.stdout : createWriteStream(options.output);
  await writeLines(target, lines);
  if (target === process.stdout) return;
  target.end();
  await finished(target);
}

async function* ofKind(records: AsyncIterable<StoredRecord>, kind: string | undefined): AsyncGenerator<StoredRecord> {
  for await (const found of records) if (kind === undefined || found.kind === kind) yield found;
}

async function* jsonLines(records: AsyncIterable<StoredRecord>): AsyncGenerator<string> {
  for await (const { kind, data, url, step, valid } of records) yield JSON.stringify({ kind, data, url, step, valid });
}
