// Options that the commands of the mirror share.

import { type Command, Option } from 'commander';
import type { MirrorFetchSettings } from '../../mirror/run-scrape.ts';
import { SOURCES } from '../../mirror/sources/source-registry.ts';
import { addDataOption, addJsonOption, collect, type DataOption, type JsonOption, readRate } from '../options.ts';

export interface SourceOption {
  readonly source?: string;
}

export type LookOptions = DataOption & JsonOption & SourceOption;

export interface MirrorFetchOptions {
  readonly rate?: number | 'off';
  readonly allowHost?: readonly string[];
  readonly robots?: 'allow' | 'strict' | 'off';
  readonly proxy?: string;
  readonly userAgent?: string;
}

export function addLookOptions(command: Command): Command {
  addSourceOption(command);
  addDataOption(command);
  return addJsonOption(command);
}

export function addSourceOption(command: Command): Command {
  const known = SOURCES.sources.map(({ id }) => id).join(', ');
  return command.option('--source <name>', `which source (default: the first of ${known})`);
}

export function addMirrorFetchOptions(command: Command): Command {
  return command
    .option('--rate <n|off>', 'requests per second to one host (default: 1)', readRate)
    .option('--allow-host <host[:port]>', 'allow a host with a private address; repeatable', collect)
    .addOption(
      new Option(
        '--robots <mode>',
        'when robots.txt cannot be had: allow, or strict (RFC 9309); off: do not ask',
      ).choices(['allow', 'strict', 'off']),
    )
    .option('--proxy <url>', 'http, https or socks5 proxy for all requests')
    .option('--user-agent <text>', 'what Curlew calls itself');
}

export function fetchSettingsFrom(options: MirrorFetchOptions): MirrorFetchSettings {
  const { rate, allowHost, robots, proxy, userAgent } = options;
  return {
    ...(rate !== undefined && { rate }),
    ...(allowHost !== undefined && { allowHosts: allowHost }),
    ...(robots !== undefined && { robots }),
    ...(proxy !== undefined && { proxy }),
    ...(userAgent !== undefined && { userAgent }),
  };
}

/** The id of the source that is meant. Throws `unknown_source`. */
export function sourceIdOf({ source }: SourceOption): string {
  return SOURCES.require(source).id;
}
