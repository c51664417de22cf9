import type { Command } from 'commander';
import { FETCHER_EVENT_LEVELS } from '../fetcher/fetcher-events.ts';
import { createLog } from '../observe/log.ts';
import { systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { systemRandom } from '../platform/random.ts';
import { boundYoungGeneration } from '../platform/young-generation.ts';
import { ExitCode } from './exit-code.ts';
import { addPlaceOptions, choosePlace, type PlaceOptions } from './fetcher-options.ts';
import { onSignals } from './on-signals.ts';
import { addJsonOption } from './options.ts';

export function define(command: Command): Command {
  command.option('--create-topics', 'create the topic of the events when Kafka has none of that name');
  addPlaceOptions(command);
  addJsonOption(command, ', as its log is without');
  return command
    .addHelpText(
      'after',
      `
Takes addresses from the queue, fetches them politely, and tells of each page
in the event log, until it is stopped. Configured by PAGE_FETCHER_*
(docs/fleet.md). With Redis or Kafka named it is one worker of a fleet; else it
works alone. The log goes to standard error. SIGTERM finishes or gives back what
it holds; a second one ends it at once.

Example:
  curlew fetcher --embedded`,
    )
    .action(async (options: PlaceOptions & { readonly createTopics?: boolean }) => {
      boundYoungGeneration();
      const chosen = choosePlace(options);
      const { createTopics = false } = options;
      if (createTopics && chosen.place.kind === 'embedded') throw noTopics();
      const stop = new AbortController();
      const release = onSignals((count) => {
        if (count > 1) process.exit(ExitCode.interrupted);
        stop.abort(new Error('stopped by a signal'));
      });
      const log = createLog(process.stderr, () => systemClock.now(), FETCHER_EVENT_LEVELS);
      try {
        const { runFetcher } = await import('../fetcher/run-fetcher.ts');
        await runFetcher({ ...chosen, createTopics, log, clock: systemClock, random: systemRandom }, stop.signal);
      } finally {
        release();
      }
    });
}

function noTopics(): CurlewError {
  return new CurlewError(ErrorCode.usage, 'There is no Kafka here whose topic --create-topics could create.', {
    remedy: 'Leave it out, or name a Kafka in PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS.',
  });
}
