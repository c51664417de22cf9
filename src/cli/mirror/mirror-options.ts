// Options that the commands of the mirror share.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { MirrorFetchSettings } from '../../mirror/scrape-options.ts';
import { SOURCES } from '../../mirror/sources/source-registry.ts';
import { addDataOption, addFetchOptions, addJsonOption, type DataOption, type JsonOption } from '../options.ts';

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
  readonly patience?: number | 'off';
}

export function addLookOptions(command: Command): Command {
  addSourceOption(command);
  addDataOption(command);
  return addJsonOption(command);
}

export function addSourceOption(command: Command): Command {
  const known = SOURCES.sources.map(({ id }) => id).join(', ');
  return command.addOption(new Option('--source <name>', `which source, of: ${known}`).default(undefined, 'the first'));
}

export function addMirrorFetchOptions(command: Command): Command {
  return addFetchOptions(command, ['rate', 'allowHost', 'robots', 'proxy', 'userAgent', 'patience']);
}

export function fetchSettingsFrom(options: MirrorFetchOptions): MirrorFetchSettings {
  const { rate, allowHost, robots, proxy, userAgent, patience } = options;
  return {
    ...(rate !== undefined && { rate }),
    ...(allowHost !== undefined && { allowHosts: allowHost }),
    ...(robots !== undefined && { robots }),
    ...(proxy !== undefined && { proxy }),
    ...(userAgent !== undefined && { userAgent }),
    ...(patience !== undefined && { patienceMs: patience }),
  };
}

/** The id of the source that is meant. Throws `unknown_source`. */
export function sourceIdOf({ source }: SourceOption): string {
  return SOURCES.require(source).id;
}

/** Reads one of a list. Upper and lower case, spaces and hyphens do not matter. */
export function readChoice<T extends string>(choices: readonly T[]): (text: string) => T {
  return (text) => {
    const tidied = text
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_');
    const found = choices.find((choice) => choice === tidied);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
  };
}
