import type { Command } from 'commander';
import type { Ledger } from '../../ledger/ledger.ts';
import type { StartPage, StoredPartialRun } from '../../ledger/sites/partial-run-table.ts';
import type { ProcessIdentity } from '../../platform/process-identity.ts';
import { formatInstant, formatTable, printable } from '../format.ts';
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
type Walk = StoredPartialRun & { readonly walker: ProcessIdentity | undefined };

async function look({ sites }: Ledger): Promise<Walk[]> {
  const partials = await sites.partialRuns();
  return Promise.all(partials.map(async (partial) => ({ ...partial, walker: await sites.holderOf(partial.siteId) })));
}

function rowOf({ siteId, createdAt, startPages, walker }: Walk) {
  return {
    site: siteId,
    createdAt,
    walker: walker ?? null,
    urls: totalOf(startPages),
    startPages: startPages.map(({ id: _, ordinal: __, ...page }) => page),
  };
}

function format({ siteId, createdAt, startPages, walker }: Walk, data: string): string {
  const head = ['  start page', 'pages', 'urls', 'failures', 'state'];
  const body = startPages.map((page) => [
    `  ${printable(page.url)}`,
    page.pages,
    page.urls,
    page.failureCount,
    printable(stateOf(page)),
  ]);
  const started = `started ${formatInstant(createdAt)}, ${totalOf(startPages)} URLs so far`;
  const next =
    walker === undefined
      ? formatNext([`sites resume ${siteId}`], data)
      : `  walked now by process ${walker.pid} on ${walker.machine}\n`;
  return `${siteId}: ${started}\n${formatTable([head, ...body])}${next}`;
}

function stateOf({ completed, urls, pages, reason }: StartPage): string {
  if (completed) return urls === 0 ? `completed without a URL: ${reason ?? ''}` : `completed: ${reason ?? ''}`;
  return reason ?? (pages === 0 ? 'not started' : `page ${pages + 1} is next`);
}

function totalOf(startPages: readonly StartPage[]): number {
  return startPages.reduce((sum, { urls }) => sum + urls, 0);
}
