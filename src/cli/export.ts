import { stat } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { openData } from '../engine/data-directory.ts';
import { columnsOf, csvLines } from '../engine/export-csv.ts';
import { exportWarc, type LeftOut } from '../engine/export-warc.ts';
import { readRecords } from '../engine/record-stream.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { StoredRecord } from '../ledger/record-table.ts';
import type { RunId } from '../ledger/run.ts';
import { systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { ExitCode } from './exit-code.ts';
import { formatBytes, formatCount, printable } from './format.ts';
import { lookAtData } from './look-at-data.ts';
import {
  addDataOption,
  addJsonOption,
  addOutputOption,
  addRunArgument,
  type DataOption,
  type JsonOption,
} from './options.ts';
import { recordLine } from './record-line.ts';
import { requireKind } from './require-kind.ts';
import { toPath, writeLines } from './write-output.ts';

type Options = DataOption &
  JsonOption & {
    readonly format: 'jsonl' | 'csv' | 'warc';
    readonly kind?: string;
    readonly output?: string;
  };

export function define(command: Command): Command {
  addRunArgument(command)
    .addOption(
      new Option('--format <format>', 'jsonl and csv: the records; warc: every exchange')
        .choices(['jsonl', 'csv', 'warc'])
        .default('jsonl'),
    )
    .option('--kind <kind>', 'only records of this kind; not for warc');
  addOutputOption(command);
  addDataOption(command);
  addJsonOption(command, ': --format jsonl');
  return command
    .addHelpText('after', '\nExample:\n  curlew export latest --format csv --kind case -o cases.csv')
    .action(async (reference: number | 'latest', options: Options) => {
      if (options.json && options.format !== 'jsonl') {
        throw new CurlewError(ErrorCode.usage, `--json is --format jsonl, and not ${options.format}.`, {
          remedy: 'Leave one of them out.',
        });
      }
      await lookAtData(options.data, async (ledger) => {
        const { id } = await ledger.run(reference);
        if (options.format === 'warc') await writeArchive(id, options);
        else await writeRecords(ledger, id, options);
      });
    });
}

async function writeArchive(id: RunId, { data: path, output, kind }: Options): Promise<void> {
  if (kind !== undefined) {
    throw new CurlewError(ErrorCode.usage, '--kind is for records, and a WARC file holds exchanges.', {
      remedy: 'Leave it out, or choose --format jsonl or csv.',
    });
  }
  const data = await openData(path, { clock: systemClock, readOnly: true });
  let leftOut = 0;
  const onLeftOut = ({ kind, url, problem }: LeftOut) => {
    if (kind === 'damaged') leftOut++;
    process.stderr.write(`curlew: left out, since it is ${kind}: ${printable(url)}\n        ${printable(problem)}.\n`);
  };
  try {
    if (output === undefined) await exportWarc(data, id, process.stdout, onLeftOut);
    else {
      await toPath(output, (target) => exportWarc(data, id, target, onLeftOut));
      await sayWritten(`the archive of run ${id}${leftOut === 0 ? '' : ', as far as it is whole,'}`, output);
    }
    if (leftOut === 0) return;
    process.stderr.write(
      `curlew: ${formatCount(leftOut)} damaged, left out. Restore them from a backup, or fetch them again.\n`,
    );
    process.exitCode = ExitCode.notOk;
  } finally {
    await data.ledger.close();
  }
}

async function writeRecords(ledger: Ledger, id: RunId, options: Options): Promise<void> {
  await requireKind(ledger, id, options.kind);
  let count = 0;
  async function* records(): AsyncGenerator<StoredRecord> {
    count = 0;
    for await (const found of ofKind(readRecords(ledger, id), options.kind)) {
      count++;
      yield found;
    }
  }
  const lines = options.format === 'csv' ? csvLines(records(), await columnsOf(records())) : jsonLines(records());
  await writeLines(options.output, lines);
  if (options.output !== undefined) await sayWritten(`${formatCount(count)} record(s) of run ${id}`, options.output);
}

/** On standard error, so that it is never taken for data. */
async function sayWritten(what: string, output: string): Promise<void> {
  const { size } = await stat(output);
  process.stderr.write(`curlew: wrote ${what} to ${printable(output)}, ${formatBytes(size)}\n`);
}

async function* ofKind(records: AsyncIterable<StoredRecord>, kind: string | undefined): AsyncGenerator<StoredRecord> {
  for await (const found of records) if (kind === undefined || found.kind === kind) yield found;
}

async function* jsonLines(records: AsyncIterable<StoredRecord>): AsyncGenerator<string> {
  for await (const found of records) yield recordLine(found);
}
