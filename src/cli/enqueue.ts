import type { Command } from 'commander';
import { describePlace } from '../fetcher/fetcher-place.ts';
import { readQueuedUrl } from '../fetcher/queued-url.ts';
import { redactSecrets } from '../observe/redact.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { addPlaceOptions, type PlaceOptions, withBackend } from './fetcher-options.ts';
import { formatCount, printable } from './format.ts';
import { jsonLine } from './json-line.ts';
import { addJsonOption, type JsonOption } from './options.ts';
import { isFile, readAddresses } from './read-addresses.ts';

export function define(command: Command): Command {
  command.argument('<url|file|-...>', 'addresses, files with one address a line, or - for standard input');
  addPlaceOptions(command);
  addJsonOption(command);
  return command
    .addHelpText(
      'after',
      `
Lines of curlew dead-letters list --json are taken too: each is queued as the
address it is about. When an argument is neither an address nor a file, nothing
is queued.

Example:
  curlew enqueue https://court.example/ urls.txt`,
    )
    .action(async (sources: string[], options: PlaceOptions & JsonOption) => {
      for (const source of sources) refuseNonsense(source);
      const items = (await readAddresses(sources)).map(readQueuedUrl);
      const malformed = items.filter(({ kind }) => kind === 'malformed').length;
      if (malformed === items.length) throw noneCanBeFetched(items[0]?.url ?? '', sources);
      await withBackend(options, 'make', async ({ queue }, { place, config }) => {
        await queue.enqueue(items.map(({ url }) => url));
        const { waiting, leased } = await queue.size();
        const where = redactSecrets(describePlace(place, config));
        const warning = malformed === 0 ? '' : ` ${formatCount(malformed)} cannot be fetched and will be dead letters.`;
        process.stdout.write(
          options.json
            ? `${jsonLine({ queued: items.length, malformed, waiting, leased, queue: where })}\n`
            : `Queued ${formatCount(items.length)} in ${where}; ${formatCount(waiting)} wait there now.${warning}\n`,
        );
      });
    });
}

/** What is named on the command line is an address, a file or standard input. What stands in a file is judged by the worker. */
function refuseNonsense(source: string): void {
  if (source === '-' || isFile(source) || readQueuedUrl(source).kind === 'url') return;
  throw new CurlewError(
    ErrorCode.usage,
    `${JSON.stringify(printable(source.slice(0, 200)))} is neither an http or https address nor a file that can be read; nothing was queued.`,
    { remedy: 'Write the address with http:// or https:// (at most 8 KiB), or check the name of the file.' },
  );
}

function noneCanBeFetched(first: string, sources: readonly string[]): CurlewError {
  return new CurlewError(
    ErrorCode.usage,
    `No line of ${printable(sources.join(', '))} is an http or https address (the first is ${JSON.stringify(printable(first.slice(0, 200)))}); nothing was queued.`,
    { remedy: 'Write one address a line, with http:// or https://.' },
  );
}
