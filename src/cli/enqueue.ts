import type { Command } from 'commander';
import { describePlace } from '../fetcher/fetcher-place.ts';
import { redactSecrets } from '../observe/redact.ts';
import { addPlaceOptions, type PlaceOptions, withBackend } from './fetcher-options.ts';
import { formatCount } from './format.ts';
import { jsonLine } from './json-line.ts';
import { addJsonOption, type JsonOption } from './options.ts';
import { readAddresses } from './read-addresses.ts';

export function define(command: Command): Command {
  command.argument('<url|file|-...>', 'addresses, files with one address a line, or - for standard input');
  addPlaceOptions(command);
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew enqueue https://court.example/ urls.txt')
    .action(async (sources: string[], options: PlaceOptions & JsonOption) => {
      const urls = await readAddresses(sources);
      await withBackend(options, 'make', async ({ queue }, { place, config }) => {
        await queue.enqueue(urls);
        const { waiting, leased } = await queue.size();
        const where = redactSecrets(describePlace(place, config));
        process.stdout.write(
          options.json
            ? `${jsonLine({ queued: urls.length, waiting, leased, queue: where })}\n`
            : `Queued ${formatCount(urls.length)} in ${where}; ${formatCount(waiting)} wait there now.\n`,
        );
      });
    });
}
