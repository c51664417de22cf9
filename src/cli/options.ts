// Options that several commands share, so that they look and mean the same everywhere.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SettingsInput } from '../engine/settings.ts';
import { TRIGGERS, type Trigger } from '../ledger/run.ts';

export const DEFAULT_DATA = './curlew-data';

export interface DataOption {
  readonly data: string;
}

export interface JsonOption {
  readonly json?: boolean;
}

export function addDataOption(command: Command): Command {
  return command.addOption(
    new Option('--data <dir>', 'directory of the ledger, archive and files')
      .env('CURLEW_DATA')
      .argParser(readDirectory)
      .default(DEFAULT_DATA),
  );
}

/** `more`: what that means for this command, if it is not plain. */
export function addJsonOption(command: Command, more = ''): Command {
  return command.option('--json', `print JSON for machines${more}`);
}

export function addRunArgument(command: Command): Command {
  return command.argument('<run>', 'number of the run, or latest', readRun);
}

export function addOutputOption(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <file>', 'where to write it').default(undefined, 'standard output'),
  );
}

export interface TriggerOption {
  readonly trigger: Trigger;
}

/** For who calls the command for somebody else: the server. Not for people, and so not in `--help`. */
export function addTriggerOption(command: Command): Command {
  return command.addOption(
    new Option('--trigger <who>', 'who asked for it').choices(TRIGGERS).default('cli').hideHelp(),
  );
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
  readonly redactArchive?: boolean;
  readonly patience?: number | 'off';
  readonly stepTimeout?: number;
  readonly stepMemory?: number;
}

/** What is not given has no value, so that a resumed run keeps its own: the defaults are those of the settings. */
const FETCH_OPTIONS = {
  concurrency: () =>
    new Option('--concurrency <n>', 'requests of one host in flight at once')
      .argParser(readCount)
      .default(undefined, '8'),
  rate: () =>
    new Option('--rate <n|off>', 'requests per second to one host').argParser(readRate).default(undefined, '1'),
  allowHost: () =>
    new Option('--allow-host <host[:port]>', 'allow a host with a private address; repeatable').argParser(collect),
  robots: () =>
    new Option('--robots <mode>', 'when robots.txt cannot be had: allow, or strict (RFC 9309); off: do not ask')
      .choices(['allow', 'strict', 'off'])
      .default(undefined, 'allow'),
  proxy: () => new Option('--proxy <url>', 'http, https or socks5 proxy for all requests'),
  userAgent: () => new Option('--user-agent <text>', 'what Curlew calls itself').default(undefined, 'curlew/VERSION'),
  baseUrl: () =>
    new Option('--base-url <url>', 'what relative addresses are resolved against, such as a copy of the site'),
  durability: () =>
    new Option('--durability <level>', 'survive kills of the process, or power cuts too')
      .choices(['process', 'power'])
      .default(undefined, 'process'),
  redactArchive: () =>
    new Option(
      '--redact-archive',
      'keep request headers and form fields that look like secrets out of the archive',
    ).default(undefined, 'false'),
  patience: () =>
    new Option(
      '--patience <time|off>',
      'how long to wait for a host that has not answered once, or only that it is down: 90s, 10m, 2h',
    )
      .argParser(readPatience)
      .default(undefined, '10m'),
  stepTimeout: () =>
    new Option('--step-timeout <time>', 'how long a step may take for one page: 10s, 2m')
      .argParser(readTime)
      .default(undefined, '10s'),
  stepMemory: () =>
    new Option('--step-memory <MB>', 'how much memory a step may take for one page')
      .argParser(readCount)
      .default(undefined, '512'),
} as const satisfies Record<keyof FetchOptions, () => Option>;

type FetchOptionName = keyof typeof FETCH_OPTIONS;

const ALL_FETCH_OPTIONS = Object.keys(FETCH_OPTIONS) as FetchOptionName[];

/** `defaults`: as they are told, where they are others for this command. */
export function addFetchOptions(
  command: Command,
  names: readonly FetchOptionName[] = ALL_FETCH_OPTIONS,
  defaults: Partial<Record<FetchOptionName, string>> = {},
): Command {
  for (const name of names) {
    const option: Option = FETCH_OPTIONS[name]();
    command.addOption(defaults[name] === undefined ? option : option.default(undefined, defaults[name]));
  }
  return command;
}

/** The same for what was begun earlier, with settings of its own. */
export function addResumedFetchOptions(
  command: Command,
  names: readonly FetchOptionName[] = ALL_FETCH_OPTIONS,
): Command {
  for (const name of names) {
    const option: Option = FETCH_OPTIONS[name]();
    const hasDefault = option.defaultValueDescription !== undefined;
    command.addOption(hasDefault ? option.default(undefined, 'as it was begun') : option);
  }
  return command;
}

/** Only what was given, so that a resumed run keeps its own settings for the rest. */
export function settingsFrom(options: FetchOptions): SettingsInput {
  const { concurrency, rate, robots, proxy, userAgent, baseUrl, durability, redactArchive, allowHost } = options;
  const { patience, stepTimeout, stepMemory } = options;
  return {
    ...(concurrency !== undefined && { concurrency }),
    ...(rate !== undefined && { rate }),
    ...(robots !== undefined && { robots }),
    ...(proxy !== undefined && { proxy }),
    ...(userAgent !== undefined && { userAgent }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(durability !== undefined && { durability }),
    ...(redactArchive !== undefined && { redactArchive }),
    ...(allowHost !== undefined && { allowHosts: allowHost }),
    ...(patience !== undefined && { patienceMs: patience }),
    ...(stepTimeout !== undefined && { stepTimeoutMs: stepTimeout }),
    ...(stepMemory !== undefined && { stepMemoryMb: stepMemory }),
  };
}

/** For an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function readDirectory(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be the name of a directory.');
  return text;
}

export function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError('It must be a whole number from 1 up.');
  return count;
}

function readRate(text: string): number | 'off' {
  if (text === 'off') return 'off';
  const rate = Number(text);
  if (!(rate > 0 && Number.isFinite(rate))) throw new InvalidArgumentError('It must be a number above 0, or off.');
  return rate;
}

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

function readPatience(text: string): number | 'off' {
  return text === 'off' ? 'off' : readTime(text, undefined, ', or off');
}

/** A time as a person writes it, in ms: 90s, 10m, 2h. */
function readTime(text: string, _before?: unknown, or = ''): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  const ms = Math.round(Number(amount) * (UNITS_MS[unit as keyof typeof UNITS_MS] ?? Number.NaN));
  if (!Number.isSafeInteger(ms) || ms < 1) {
    throw new InvalidArgumentError(`It must be a time such as 90s, 10m or 2h${or}.`);
  }
  return ms;
}

/** A run as a person names it. */
export function readRun(text: string): number | 'latest' {
  if (text === 'latest') return 'latest';
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 1) throw new InvalidArgumentError('It must be the number of a run, or latest.');
  return id;
}
