import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createLog } from '../observe/log.ts';
import { systemClock } from '../platform/clock.ts';
import { jsonLine } from './json-line.ts';
import { onSignals } from './on-signals.ts';
import { addDataOption, addFetchOptions, addJsonOption, type DataOption, type JsonOption } from './options.ts';

type Options = DataOption &
  JsonOption & {
    readonly host: string;
    readonly port: number;
    readonly publicUrl?: URL;
    readonly scrapers: string;
    readonly allowHost?: readonly string[];
    readonly rate?: number | 'off';
  };

export function define(command: Command): Command {
  command
    .option('--host <address>', 'address to listen on; off loopback CURLEW_TOKEN must be set', '127.0.0.1')
    .option('--port <n>', 'port to listen on; 0 for any that is free', readPort, 8080)
    .option('--public-url <url>', 'the address people use, behind a reverse proxy', readUrl)
    .addOption(
      new Option('--scrapers <dir>', 'directory of scrapers and sites that can be started')
        .env('CURLEW_SCRAPERS')
        .default('./scrapers'),
    );
  addFetchOptions(command, ['rate', 'allowHost']);
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText(
      'after',
      '\n--rate and --allow-host are for the runs that are begun from here.\n\nExample:\n  curlew serve --port 8080 --scrapers ./scrapers',
    )
    .action(async (options: Options) => serve(options));
}

async function serve({ data, host, port, publicUrl, scrapers, allowHost = [], rate, json }: Options): Promise<void> {
  const { startServer } = await import('../server/server.ts');
  const server = await startServer({
    data,
    host,
    port,
    publicUrl,
    token: process.env.CURLEW_TOKEN,
    scrapers: existsSync(scrapers) ? scrapers : undefined,
    defaults: [...allowHost.map((name) => `--allow-host=${name}`), ...(rate === undefined ? [] : [`--rate=${rate}`])],
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

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new InvalidArgumentError('It must be an address with http or https.');
}
