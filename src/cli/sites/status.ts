import type { Command } from 'commander';
import { waitsOf } from '../../engine/run-waits.ts';
import { gateName } from '../../fetch/gate-name.ts';
import type { HostWait } from '../../fetch/host-wait.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { PaginationFailure, StartPage, StoredPartialRun } from '../../ledger/sites/partial-run-table.ts';
import { systemClock } from '../../platform/clock.ts';
import type { ProcessIdentity } from '../../platform/process-identity.ts';
import { formatInstant, formatTable, formatWait, printable } from '../format.ts';
import { formatNext } from '../format-summary.ts';
import { jsonLine } from '../json-line.ts';
import { lookAtData } from '../look-at-data.ts';
import { addDataOption, addJsonOption, type DataOption, type JsonOption } from '../options.ts';

export function define(command: Command): Command {
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew sites status')
    .action(async (options: DataOption & JsonOption) => {
      const walks = await lookAtData(options.data, look);
      if (options.json) for (const walk of walks) process.stdout.write(`${jsonLine(rowOf(walk))}\n`);
      else process.stdout.write(walks.map((walk) => format(walk, options.data)).join('\n') || NOTHING);
    });
}

const NOTHING = 'Nothing is walked that is not committed.\n';

/** A partial run, and the process that walks it. */
type Walk = Omit<StoredPartialRun, 'startPages'> & {
  readonly walker: ProcessIdentity | undefined;
  /** What the walk waits for. */
  readonly waits: readonly HostWait[];
  readonly startPages: readonly (StartPage & { readonly failures: readonly PaginationFailure[] })[];
};

async function look(ledger: Ledger): Promise<Walk[]> {
  const partials = await ledger.sites.partialRuns();
  return Promise.all(
    partials.map(async (partial) => {
      const walker = await ledger.sites.holderOf(partial.siteId);
      const waits = walker === undefined ? [] : await waitsOf(ledger, hostsOf(partial.startPages), systemClock.now());
      const startPages = await Promise.all(
        partial.startPages.map(async (page) => ({ ...page, failures: await ledger.sites.failuresOf(page.id) })),
      );
      return { ...partial, walker, waits, startPages };
    }),
  );
}

/** The hosts of the pages that are due. */
function hostsOf(startPages: readonly StartPage[]): string[] {
  const due = startPages.flatMap(({ nextUrl }) => (nextUrl === undefined ? [] : [gateName(new URL(nextUrl))]));
  return [...new Set(due)];
}

function rowOf({ siteId, createdAt, startPages, walker, waits }: Walk) {
  return {
    site: siteId,
    createdAt,
    walker: walker ?? null,
    waits,
    urls: totalOf(startPages),
    startPages: startPages.map(({ id: _, ordinal: __, failures, ...page }) => ({
      ...page,
      failureHistory: failures.map(({ at, proxy, error }) => ({ timestamp: new Date(at), proxy, error })),
    })),
  };
}

function format({ siteId, createdAt, startPages, walker, waits }: Walk, data: string): string {
  const head = ['  start page', 'pages', 'urls', 'failures', 'state'];
  const body = startPages.map((page) => [
    `  ${printable(page.url)}`,
    page.pages,
    page.urls,
    page.failureCount,
    printable(stateOf(page, walker !== undefined)),
  ]);
  const started = `started ${formatInstant(createdAt)}, ${totalOf(startPages)} URLs so far`;
  const next =
    walker === undefined
      ? formatNext([`sites resume ${siteId}`], data)
      : `  walked now by process ${walker.pid} on ${walker.machine}\n${waits.map((wait) => `  ${formatWait(wait)}\n`).join('')}`;
  const whole = formatTable([head, ...body], Number.POSITIVE_INFINITY);
  const isTooWide = whole
    .split('\n')
    .some((line) => line.length > (process.stdout.columns || Number.POSITIVE_INFINITY));
  return `${siteId}: ${started}\n${isTooWide ? narrow([head, ...body]) : whole}${next}`;
}

/** The states whole below the counts: why a list is not complete is not to be cut. */
function narrow(rows: readonly (readonly (string | number)[])[]): string {
  const [, ...pages] = rows;
  return formatTable(rows.map((row) => row.slice(0, -1))) + pages.map((row) => `${row[0]}: ${row.at(-1)}\n`).join('');
}

function stateOf(page: StartPage, isWalked: boolean): string {
  const { completed, urls, pages, reason, ended, rechecked, failureCount } = page;
  if (completed) return urls === 0 ? `completed without a URL: ${reason ?? ''}` : `completed: ${reason ?? ''}`;
  if (reason !== undefined) return reason;
  if (ended !== undefined) return `${ended}; page ${rechecked + 1} is to be read again`;
  if (pages > 0 || failureCount > 0 || isWalked) return `page ${pages + 1} is next`;
  return urls === 0 ? 'not started' : 'not completed';
}

function totalOf(startPages: readonly StartPage[]): number {
  return startPages.reduce((sum, { urls }) => sum + urls, 0);
}
