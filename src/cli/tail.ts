import { hash } from 'node:crypto';
import type { Command } from 'commander';
import { unlessAborted } from '../fetch/politeness/unless-aborted.ts';
import type { EventReader, ReadFrom } from '../fetcher/event-reader.ts';
import { eventFile } from '../fetcher/fetcher-place.ts';
import type { PageCache } from '../fetcher/page-cache.ts';
import type { WebpageEvent } from '../fetcher/webpage-event.ts';
import { systemClock } from '../platform/clock.ts';
import { ExitCode } from './exit-code.ts';
import { addPlaceOptions, type ChosenPlace, type PlaceOptions, withBackend } from './fetcher-options.ts';
import { formatBytes, printable } from './format.ts';
import { jsonLine } from './json-line.ts';
import { onSignals } from './on-signals.ts';
import { addJsonOption, type JsonOption, readCount } from './options.ts';

type Options = PlaceOptions &
  JsonOption & { readonly lines: number; readonly follow?: boolean; readonly fromBeginning?: boolean };

/** What the cache has for an event: its very content, a later one of the same URL, or nothing any more. */
type Content = 'cached' | 'replaced' | 'expired';

const LOOK_MS = 250;
const STOPPED = new Error('The tail is being stopped.');

export function define(command: Command): Command {
  command
    .option('-n, --lines <n>', 'how many of the latest events to show', readCount, 10)
    .option('--from-beginning', 'all events that are kept, not only the latest')
    .option('-f, --follow', 'go on with new events until Ctrl-C');
  addPlaceOptions(command);
  addJsonOption(command);
  return command
    .addHelpText(
      'after',
      `
Reads the event log as any consumer does, and gets the content of each event
from the cache by its cache_key.

Example:
  curlew tail --follow --json`,
    )
    .action(async (options: Options) => {
      const stop = new AbortController();
      const release = onSignals((count) => (count === 1 ? stop.abort(STOPPED) : process.exit(ExitCode.interrupted)));
      try {
        await withBackend(options, 'look', ({ cache }, chosen) => tail(options, cache, chosen, stop.signal));
      } catch (error) {
        if (error !== STOPPED) throw error;
      } finally {
        release();
      }
    });
}

async function tail(options: Options, cache: PageCache, chosen: ChosenPlace, stop: AbortSignal): Promise<void> {
  const from: ReadFrom = options.fromBeginning ? { kind: 'beginning' } : { kind: 'last', count: options.lines };
  const reader = await readerOf(chosen, from);
  try {
    let batch = inOrder(await unlessAborted(reader.next(), stop));
    if (!options.fromBeginning) batch = batch.slice(-options.lines);
    while (!stop.aborted) {
      for (const event of batch) await print(event, cache, options.json ?? false);
      const wasAtEnd = batch.length === 0;
      if (wasAtEnd && !options.follow) return;
      if (wasAtEnd) await systemClock.sleep(LOOK_MS, stop).catch(() => {});
      batch = inOrder(await unlessAborted(reader.next(), stop));
    }
  } finally {
    await reader.close();
  }
}

async function readerOf({ place, config }: ChosenPlace, from: ReadFrom): Promise<EventReader> {
  if (place.kind === 'embedded') {
    const { JsonlEventReader } = await import('../fetcher/embedded/jsonl-event-reader.ts');
    return new JsonlEventReader(eventFile(place.data, config), from);
  }
  const { KafkaEventReader } = await import('../fetcher/kafka/kafka-event-reader.ts');
  const { kafkaBootstrapServers: bootstrapServers, webpageLogTopic: topic } = config;
  return new KafkaEventReader({ bootstrapServers, topic, from, clock: systemClock });
}

/** Partitions are read one after the other: what was fetched first comes first. */
function inOrder(events: readonly WebpageEvent[]): WebpageEvent[] {
  return events.toSorted((a, b) => (a.fetched_at < b.fetched_at ? -1 : a.fetched_at > b.fetched_at ? 1 : 0));
}

async function print(event: WebpageEvent, cache: PageCache, json: boolean): Promise<void> {
  const body = await cache.get(event.cache_key);
  const content = contentOf(event, body);
  process.stdout.write(json ? `${jsonLine({ ...event, content })}\n` : format(event, content));
}

function contentOf({ content_hash }: WebpageEvent, body: Uint8Array | undefined): Content {
  if (body === undefined) return 'expired';
  return hash('sha256', body) === content_hash ? 'cached' : 'replaced';
}

function format({ fetched_at, status_code, content_length, content_hash, url }: WebpageEvent, content: Content) {
  const size = formatBytes(content_length).padStart(10);
  return `${fetched_at}  ${status_code}  ${size}  ${content_hash.slice(0, 12)}  ${content.padEnd(8)}  ${printable(url)}\n`;
}
