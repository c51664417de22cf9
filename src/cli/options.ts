// Options that several commands share, so that they look and mean the same everywhere.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SettingsInput } from '../engine/settings.ts';

export const DEFAULT_DATA = './curlew-data';

export interface DataOption {
  readonly data: string;
}

export interface JsonOption {
  readonly json?: boolean;
}

export function addDataOption(command: Command): Command {
  return command.addOption(
    new Option('--data <dir>', 'directory of the ledger, archive and files').env('CURLEW_DATA').default(DEFAULT_DATA),
  );
}

export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print JSON for machines');
}

export interface FetchOptions {
  readonly concurrency?: number;
  readonly rate?: number | 'off';
  readonly allowHost?: readonly string[];
  readonly robots?: 'allow' | 'strict' | 'off';
  readonly proxy?: string;
  readonly userAgent?: string;
  readonly baseUrl?: string;
  readonly durability?: 'process' | 'power';
}

export function addFetchOptions(command: Command): Command {
  return command
    .option('--concurrency <n>', 'requests of one host in flight at once (default: 8)', readCount)
    .option('--rate <n|off>', 'requests per second to one host (default: 1)', readRate)
    .option('--allow-host <host[:port]>', 'allow a host with a private address; repeatable', collect)
    .addOption(
      new Option(
        '--robots <mode>',
        'when robots.txt cannot be had: allow, or strict (RFC 9309); off: do not ask',
      ).choices(['allow', 'strict', 'off']),
    )
    .option('--proxy <url>', 'http, https or socks5 proxy for all requests')
    .option('--user-agent <text>', 'what Curlew calls itself')
    .option('--base-url <url>', "instead of the scraper's own, to run it on a copy of the site")
    .addOption(
      new Option('--durability <level>', 'survive kills of the process, or power cuts too').choices([
        'process',
        'power',
      ]),
    );
}

/** Only what was given, so that a resumed run keeps its own settings for the rest. */
export function settingsFrom(options: FetchOptions): SettingsInput {
  const { concurrency, rate, robots, proxy, userAgent, baseUrl, durability, allowHost } = options;
  return {
    ...(concurrency !== undefined && { concurrency }),
    ...(rate !== undefined && { rate }),
    ...(robots !== undefined && { robots }),
    ...(proxy !== undefined && { proxy }),
    ...(userAgent !== undefined && { userAgent }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(durability !== undefined && { durability }),
    ...(allowHost !== undefined && { allowHosts: allowHost }),
  };
}

/** For an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

export function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError('It must be a whole number from 1 up.');
  return count;
}

export function readRate(text: string): number | 'off' {
  if (text === 'off') return 'off';
  const rate = Number(text);
  if (!(rate > 0 && Number.isFinite(rate))) throw new InvalidArgumentError('It must be a number above 0, or off.');
  return rate;
}

/** A run as a person names it. */
export function readRun(text: string): number | 'latest' {
  if (text === 'latest') return 'latest';
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 1) throw new InvalidArgumentError('It must be the number of a run, or latest.');
  return id;
}
