import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createLog } from '../observe/log.ts';
import { systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { jsonLine } from './json-line.ts';
import { onSignals } from './on-signals.ts';
import { addDataOption, addFetchOptions, addJsonOption, collect, type DataOption, type JsonOption } from './options.ts';

type Options = DataOption &
  JsonOption & {
    readonly host: string;
    readonly port: number;
    readonly publicUrl?: URL;
    readonly readToken?: string;
    readonly requireLogin?: boolean;
    readonly name?: readonly string[];
    readonly trustedProxy?: readonly string[];
    readonly scrapers: string;
    readonly scrubDays: number;
    readonly allowHost?: readonly string[];
    readonly rate?: number | 'off';
  };

export function define(command: Command): Command {
  command
    .option('--host <address>', 'address to listen on; off loopback a token must be set', '127.0.0.1')
    .option('--port <n>', 'port to listen on; 0 for any that is free', readPort, 8080)
    .option('--public-url <url>', 'the address people use, behind a reverse proxy', readUrl)
    .option('--name <host>', 'another host name that it answers to; repeatable', collect)
    .option(
      '--trusted-proxy <address>',
      'address or network of a reverse proxy whose X-Forwarded-For is believed; repeatable',
      collect,
    )
    .addOption(
      new Option('--read-token <token>', 'a token that only reads; other users of the machine can see it here').env(
        'CURLEW_READ_TOKEN',
      ),
    )
    .option('--require-login', 'ask for a token on loopback too; or set CURLEW_REQUIRE_LOGIN=1')
    .addOption(
      new Option('--scrapers <dir>', 'directory of scrapers and sites that can be started')
        .env('CURLEW_SCRAPERS')
        .default('./scrapers'),
    )
    .option(
      '--scrub-days <n>',
      'in so many days everything stored is checked once, a little at a time; 0: off',
      readDays,
      30,
    );
  addFetchOptions(command, ['rate', 'allowHost']);
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText(
      'after',
      '\nCURLEW_TOKEN holds the token that reads and changes, 16 characters or more.\n--rate and --allow-host are for the runs that are begun from here.\n\nExample:\n  curlew serve --port 8080 --scrapers ./scrapers',
    )
    .action(async (options: Options) => serve(options));
}

async function serve(options: Options): Promise<void> {
  const { data, host, port, publicUrl, scrapers, allowHost = [], rate, json } = options;
  const { startServer } = await import('../server/server.ts');
  const server = await startServer({
    data,
    host,
    port,
    publicUrl,
    token: process.env.CURLEW_TOKEN,
    readToken: options.readToken,
    requireLogin: options.requireLogin ?? readFlag('CURLEW_REQUIRE_LOGIN'),
    names: options.name ?? [],
    trustedProxies: options.trustedProxy ?? [],
    scrapers: existsSync(scrapers) ? scrapers : undefined,
    defaults: [...allowHost.map((name) => `--allow-host=${name}`), ...(rate === undefined ? [] : [`--rate=${rate}`])],
    scrubDays: options.scrubDays,
    log: createLog(process.stderr, () => systemClock.now()),
  });
  const stopped = Promise.withResolvers<void>();
  const release = onSignals((count) => (count === 1 ? stopped.resolve() : process.exit()));
  process.stdout.write(
    json
      ? `${jsonLine({ url: server.url, pid: process.pid, data })}\n`
      : `Curlew is on ${server.url}, data in ${data}. Ctrl-C ends it; runs go on.\n`,
  );
  await stopped.promise;
  await server.close();
  release();
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a port, from 0 to 65535.');
}

function readDays(text: string): number {
  const days = Number(text);
  if (text.trim() !== '' && days >= 0 && days <= 3_650) return days;
  throw new InvalidArgumentError('It must be a number of days, from 0 to 3650.');
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new InvalidArgumentError('It must be an address with http or https.');
}

function readFlag(name: string): boolean {
  const text = (process.env[name] ?? '').trim();
  if (/^(1|true|on|yes)$/i.test(text)) return true;
  if (/^(0|false|off|no)?$/i.test(text)) return false;
  throw new CurlewError(ErrorCode.usage, `${name} is ${JSON.stringify(text)}.`, { remedy: 'Set it to 1 or 0.' });
}
