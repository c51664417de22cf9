import { type Command, InvalidArgumentError } from 'commander';
import { exportCases, manifestLines } from '../../mirror/reports/export-cases.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { jsonLine } from '../json-line.ts';
import { lookAtData } from '../look-at-data.ts';
import { addDataOption, addJsonOption, addOutputOption, type DataOption, type JsonOption } from '../options.ts';
import { writeLines } from '../write-output.ts';
import { addSourceOption, type SourceOption, sourceIdOf } from './mirror-options.ts';

type Options = DataOption &
  JsonOption &
  SourceOption & { readonly since: number; readonly manifest?: boolean; readonly output?: string };

export function define(command: Command): Command {
  command
    .option('--since <cursor>', 'only what changed after the line with this cursor', readCursor, 0)
    .option('--manifest', 'lines for sha256sum --check instead, to be run in the data directory');
  addJsonOption(addDataOption(addSourceOption(addOutputOption(command))), ', as without --manifest');
  return command
    .addHelpText('after', '\nExample:\n  curlew mirror export --since 4300 -o new.jsonl')
    .action(async (options: Options) => {
      if (options.json && options.manifest) {
        throw new CurlewError(ErrorCode.usage, 'A manifest is no JSON: its lines are for sha256sum.', {
          remedy: 'Leave --json or --manifest out.',
        });
      }
      const source = sourceIdOf(options);
      await lookAtData(options.data, async ({ mirror }) => {
        const lines = options.manifest
          ? withoutEnds(manifestLines(mirror, source))
          : asJson(exportCases(mirror, { since: options.since, source }));
        await writeLines(options.output, lines);
      });
    });
}

async function* asJson(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield jsonLine(value);
}

async function* withoutEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield line.trimEnd();
}

function readCursor(text: string): number {
  const cursor = Number(text);
  if (!Number.isSafeInteger(cursor) || cursor < 0) throw new InvalidArgumentError('It must be the cursor of a line.');
  return cursor;
}
