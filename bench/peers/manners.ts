// What each crawler does on a site that asks for manners or lacks them: a page that robots.txt disallows, a robots.txt that
// answers 503, and a redirect to an address of the machine's own network. Told by the sites' logs, in real runs.
//   npx node bench/peers/manners.ts [--scrapy PYTHON]

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { htmlReply, type SimRequest, statusReply, textReply } from '../../sim/reply.ts';
import { startSite } from '../../sim/site.ts';
import { type Contender, startOf } from '../throughput/contender.ts';
import { formatRows } from './format-rows.ts';
import { installedPeers } from './installed-peers.ts';
import { readOutput } from './read-output.ts';

/** More than the retries of any of them take; who has not ended by then, waits. */
const LIMIT_MS = 60_000;

interface Setup {
  readonly name: string;
  readonly contender: Contender;
  /** What is added to the command line. */
  readonly extra: readonly string[];
}

const SETUPS: readonly Setup[] = [
  { name: 'curlew', contender: 'curlew', extra: [] },
  { name: 'curlew --robots strict', contender: 'curlew', extra: ['--robots', 'strict'] },
  { name: 'crawlee', contender: 'crawlee', extra: [] },
  {
    name: 'crawlee, respectRobotsTxtFile',
    contender: 'crawlee',
    extra: [JSON.stringify({ respectRobotsTxtFile: true })],
  },
  { name: 'scrapy', contender: 'scrapy', extra: [] },
  {
    // As `scrapy startproject` and `scrapy genspider` write it.
    name: 'scrapy, ROBOTSTXT_OBEY, allowed_domains',
    contender: 'scrapy',
    extra: [JSON.stringify({ ROBOTSTXT_OBEY: true, allowed_domains: ['localhost'] })],
  },
];

const { values } = parseArgs({ options: { scrapy: { type: 'string', default: 'python3' } } });

const contenders: Contender[] = ['curlew', ...(await installedPeers(values.scrapy))];
const rows = [['', 'disallowed page', 'redirect to 127.0.0.1', 'robots.txt 503']];
for (const setup of SETUPS.filter(({ contender }) => contenders.includes(contender))) {
  process.stderr.write(`${setup.name}\n`);
  const disallowing = await crawl(setup, 200);
  const unreachable = await crawl(setup, 503);
  const redirect = disallowing.privateAsked ? `fetched, ${disallowing.privateKept ? 'kept' : 'dropped'}` : 'refused';
  rows.push([
    setup.name,
    disallowing.paths.includes('/private/1') ? 'fetched' : 'left alone',
    redirect,
    `${unreachable.paths.includes('/graph/0') ? 'crawls on' : 'waits'} (asked ${unreachable.robotsAsked} times)`,
  ]);
}
process.stdout.write(formatRows(rows));

interface Seen {
  readonly paths: readonly string[];
  readonly robotsAsked: number;
  readonly privateAsked: boolean;
  /** Whether the page behind the redirect became an item. */
  readonly privateKept: boolean;
}

/** The site is crawled as `localhost`, so that its name differs from that of the address it redirects to. */
async function crawl({ contender, extra }: Setup, robotsStatus: number): Promise<Seen> {
  const directory = mkdtempSync(join(tmpdir(), `curlew-manners-${contender}-`));
  const inside = await startSite(() => htmlReply(200, '<title>Of the inner network</title>'));
  const site = await startSite((request) => answer(request, robotsStatus, inside.url));
  try {
    const url = site.url.replace('127.0.0.1', 'localhost');
    const start = startOf(contender, url, directory, { concurrency: 1, python: values.scrapy });
    await runUpTo(LIMIT_MS, start.command, [...start.args, ...extra], { ...process.env, ...start.env });
    const { titles } = await readOutput(contender, directory);
    const paths = site.log.entries.map(({ path }) => path);
    return {
      paths,
      robotsAsked: paths.filter((path) => path === '/robots.txt').length,
      privateAsked: inside.log.entries.some(({ path }) => path === '/secret'),
      privateKept: titles.includes('Of the inner network'),
    };
  } finally {
    await Promise.all([site.close(), inside.close()]);
    rmSync(directory, { recursive: true, force: true });
  }
}

function answer({ pathname }: SimRequest, robotsStatus: number, inside: string) {
  switch (pathname) {
    case '/robots.txt':
      return robotsStatus === 200 ? textReply(200, 'User-agent: *\nDisallow: /private/\n') : statusReply(robotsStatus);
    case '/graph/0':
      return htmlReply(200, '<title>Home</title><a href="/private/1">Private</a> <a href="/moved">Moved</a>');
    case '/moved':
      return statusReply(302, { location: `${inside}/secret` });
    default:
      return htmlReply(200, '<title>Private</title>');
  }
}

async function runUpTo(limitMs: number, command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(command, args, { stdio: 'ignore', env });
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
  await once(child, 'exit');
  clearTimeout(limit);
}
