import type { Command } from 'commander';
import type { DeadLetter } from '../fetcher/dead-letter.ts';
import type { DeadLetterFilter } from '../fetcher/dead-letters.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { addPlaceOptions, type PlaceOptions, withBackend } from './fetcher-options.ts';
import { formatCount, printable } from './format.ts';
import { jsonLine } from './json-line.ts';
import { addJsonOption, type JsonOption } from './options.ts';
import { writeLines } from './write-output.ts';

type Options = PlaceOptions & JsonOption & DeadLetterFilter & { readonly all?: boolean };

export function define(command: Command): Command {
  addOptions(command.command('list').description('List dead letters, oldest first')).action(list);
  const requeue = command.command('requeue').description('Requeue dead letters, at the end of the queue');
  addOptions(requeue.option('--all', 'every dead letter')).action((options: Options) => settle(options, 'requeue'));
  const drop = command.command('drop').description('Remove dead letters for good');
  addOptions(drop.option('--all', 'every dead letter')).action((options: Options) => settle(options, 'drop'));
  return command.addHelpText(
    'after',
    '\nExample:\n  curlew dead-letters requeue --reason http_500 --host court.example',
  );
}

function addOptions(command: Command): Command {
  command
    .option('--reason <code>', 'only those given up for this reason, such as http_404')
    .option('--host <host>', 'only those of this host, with its port if it has one');
  addPlaceOptions(command);
  addJsonOption(command);
  return command.addHelpText('after', `\nExample:\n  curlew dead-letters ${command.name()} --reason http_404`);
}

async function list(options: Options): Promise<void> {
  await withBackend(options, 'look', async ({ deadLetters }) => {
    await writeLines(undefined, lines(deadLetters.list(filterOf(options)), options.json ?? false));
  });
}

async function* lines(letters: AsyncIterable<DeadLetter>, json: boolean): AsyncGenerator<string> {
  for await (const letter of letters) yield json ? jsonLine(letter) : format(letter);
}

function format({ url, reason, attempts, last }: DeadLetter): string {
  return `${last ?? '-'.padEnd(24)}  ${printable(reason)}  ${attempts} attempts  ${printable(url)}`;
}

async function settle(options: Options, action: 'requeue' | 'drop'): Promise<void> {
  const filter = filterOf(options);
  if (!options.all && filter.reason === undefined && filter.host === undefined) {
    throw new CurlewError(ErrorCode.usage, `It must be said which dead letters to ${action}.`, {
      remedy: 'Give --reason, --host, or --all.',
    });
  }
  await withBackend(options, 'look', async ({ deadLetters }) => {
    const count = await deadLetters[action](filter);
    const left = await deadLetters.size();
    const done = action === 'requeue' ? 'Requeued' : 'Dropped';
    process.stdout.write(
      options.json
        ? `${jsonLine({ [action === 'requeue' ? 'requeued' : 'dropped']: count, left })}\n`
        : `${done} ${formatCount(count)}; ${formatCount(left)} left.\n`,
    );
  });
}

function filterOf({ reason, host }: Options): DeadLetterFilter {
  return { ...(reason !== undefined && { reason }), ...(host !== undefined && { host }) };
}
