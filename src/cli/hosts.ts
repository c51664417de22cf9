import { type Command, Option } from 'commander';
import {
  type BreakerOpening,
  type HostReceipt,
  type LimitsInForce,
  type PolitenessReceipt,
  politenessReceipt,
  type RetryAfter,
  type RobotsInForce,
} from '../engine/politeness-receipt.ts';
import type { HostState } from '../fetch/host-state.ts';
import { waitOf } from '../fetch/host-wait.ts';
import { readHostStates } from '../fetch/stored-memory.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Instant, systemClock } from '../platform/clock.ts';
import { formatCount, formatInstant, formatTable, formatWait, printable } from './format.ts';
import { jsonLine } from './json-line.ts';
import { lookAtData } from './look-at-data.ts';
import { addDataOption, addJsonOption, type DataOption, type JsonOption, readRun } from './options.ts';

type Options = DataOption & JsonOption & { readonly receipt?: number | 'latest' };

export function define(command: Command): Command {
  command.addOption(
    new Option('--receipt [run]', 'prove from the ledger how polite a run was: its number, or latest')
      .argParser(readRun)
      .preset('latest')
      .default(undefined, 'latest'),
  );
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew hosts --receipt latest')
    .action(async (options: Options) => {
      await lookAtData(options.data, async (ledger) => {
        if (options.receipt === undefined) await showHosts(ledger, options);
        else await showReceipt(ledger, options.receipt, options);
      });
    });
}

async function showReceipt(ledger: Ledger, reference: number | 'latest', { json }: Options): Promise<void> {
  const receipt = await politenessReceipt(ledger, await ledger.run(reference));
  process.stdout.write(json ? `${jsonLine(receipt)}\n` : formatReceipt(receipt));
}

async function showHosts(ledger: Ledger, { json }: Options): Promise<void> {
  const states = readHostStates(await ledger.hostStates());
  const rows = [...states]
    .map(([host, state]) => rowOf(host, state, systemClock.now()))
    .sort((a, b) => (a.host < b.host ? -1 : 1));
  if (json) for (const row of rows) process.stdout.write(`${jsonLine(row)}\n`);
  else process.stdout.write(formatHosts(rows));
}

/** What is known of a host, as a line of `--json`. */
function rowOf(host: string, state: HostState, now: Instant) {
  const { breaker, rate, intervalMs, counts } = state;
  const wait = waitOf(host, state, now);
  return {
    host,
    /** `closed`: requests go there. `open`: it is down. `half_open`: a probe is under way. */
    state: breaker.kind,
    failures: breaker.failures,
    nextProbeAt: breaker.kind === 'open' ? breaker.probeAt : null,
    /** Requests per second; null without a limit. */
    rate: intervalMs === 0 ? null : 1_000 / intervalMs,
    intervalMs,
    /** A Retry-After that is still in force. */
    heldUntil: rate.heldUntil > now ? rate.heldUntil : null,
    robots: { allowed: counts.allowed, disallowed: counts.disallowed },
    requests: counts.requests,
    /** What is to be waited for before it is asked again; `until` is null while that is not known. */
    wait: wait === undefined ? null : { until: wait.until ?? null, reason: wait.reason },
  };
}

function formatHosts(rows: readonly ReturnType<typeof rowOf>[]): string {
  const head = ['host', 'state', 'one request every', 'next probe', 'held until', 'requests', 'allowed', 'disallowed'];
  const body = rows.map((row) => [
    printable(row.host),
    row.failures === 0 ? row.state : `${row.state}, ${row.failures} failed`,
    row.intervalMs === 0 ? 'no limit' : `${formatCount(Math.round(row.intervalMs))} ms`,
    row.nextProbeAt === null ? '–' : formatInstant(row.nextProbeAt),
    row.heldUntil === null ? '–' : formatInstant(row.heldUntil),
    row.requests,
    row.robots.allowed,
    row.robots.disallowed,
  ]);
  const waits = rows.flatMap(({ host, wait }) => (wait === null ? [] : [`${formatHostWait(host, wait)}\n`]));
  return formatTable([head, ...body]) + waits.join('');
}

/** A time that has passed is nothing that anybody waits for: the run is over, and the next one begins with a probe. */
function formatHostWait(host: string, { until, reason }: { readonly until: Instant | null; readonly reason: string }) {
  if (until !== null && until <= systemClock.now()) {
    return `${printable(host)} is probed before it is asked again, ${printable(reason)}`;
  }
  return formatWait({ host, until: until ?? undefined, reason });
}

function formatReceipt({ run, name, limits, hosts }: PolitenessReceipt): string {
  const title = `Run ${run} of ${printable(name)}`;
  if (hosts.length === 0) return `${title}\n\nNo request of it has left.\n`;
  const allowed = limits.length === 0 ? ['under limits that are not known'] : limits.map(formatLimits);
  return [`${title}, ${allowed.join('; ')}\n`, ...hosts.map(formatHost)].join('\n');
}

function formatLimits({ from, rate, robots, userAgent }: LimitsInForce, index: number): string {
  const since = index === 0 ? '' : `from ${formatInstant(from)} on `;
  const pace = rate === 'off' ? 'no limit' : `limit ${rate} a second`;
  const rules = { allow: '', strict: ', robots.txt strict', off: ', robots.txt not asked for' }[robots];
  return `${since}${pace}${rules}, as ${printable(userAgent)}`;
}

function formatHost(receipt: HostReceipt): string {
  const { requests, shortestGapMs, peakPerSecond, crawlDelayMs } = receipt;
  const gap = shortestGapMs === null ? '' : `, shortest gap ${formatCount(shortestGapMs)} ms`;
  const lines = [
    printable(receipt.host),
    `  requests     ${formatCount(requests)}${gap}, at most ${formatCount(peakPerSecond)} in any second`,
    ...(crawlDelayMs === null ? [] : [`  crawl-delay  ${formatCount(crawlDelayMs)} ms`]),
    ...receipt.robots.flatMap(formatRobots),
    ...receipt.retryAfters.map(formatRetryAfter),
    ...receipt.breakerOpenings.map(formatOpening),
  ];
  return `${lines.join('\n')}\n`;
}

function formatRobots({ origin, found, fetchedAt, reason, text }: RobotsInForce): string[] {
  const head = `  robots.txt   ${printable(origin)}: ${found} (${printable(reason)}), ${formatInstant(fetchedAt)}`;
  return [
    head,
    ...(text ?? '')
      .trimEnd()
      .split(/\r\n|\r|\n/)
      .filter((line) => line !== '')
      .map((line) => `               | ${printable(line)}`),
  ];
}

function formatRetryAfter({ at, until, reason, nextRequestAt, obeyed }: RetryAfter): string {
  const next = nextRequestAt === null ? 'no request since' : `next request ${formatCount(nextRequestAt - at)} ms later`;
  const verdict = obeyed ? 'obeyed' : 'NOT OBEYED';
  return `  Retry-After  ${formatInstant(at)}, ${formatCount(until - at)} ms (${printable(reason)}): ${verdict}, ${next}`;
}

function formatOpening({ at, failures, closedAt }: BreakerOpening): string {
  const closed = closedAt === null ? 'still open' : `closed ${formatInstant(closedAt)}`;
  return `  breaker      opened ${formatInstant(at)} after ${failures} failures, ${closed}`;
}
