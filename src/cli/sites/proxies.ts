import type { Command } from 'commander';
import { systemClock } from '../../platform/clock.ts';
import { ProxyBlocklist, type ProxyBlocklistEntry } from '../../sites/proxy-blocklist.ts';
import { formatDuration, formatInstant, formatTable, printable } from '../format.ts';
import { jsonLine } from '../json-line.ts';
import { lookAtData } from '../look-at-data.ts';
import { addDataOption, addJsonOption, type DataOption, type JsonOption } from '../options.ts';

export function define(command: Command): Command {
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew sites proxies')
    .action(async (options: DataOption & JsonOption) => {
      const rows = await look(options.data);
      if (options.json) for (const row of rows) process.stdout.write(`${jsonLine(row)}\n`);
      else process.stdout.write(rows.length === 0 ? 'No proxy rests.\n' : formatTable([HEAD, ...rows.map(cellsOf)]));
    });
}

type Row = ProxyBlocklistEntry & { readonly site: string; readonly leftMs: number };

function look(data: string): Promise<Row[]> {
  return lookAtData(data, async ({ sites }) => {
    const blocklist = new ProxyBlocklist(sites);
    const now = systemClock.now();
    const rows = (await sites.sites()).map(async ({ id: site }) => {
      const entries = await blocklist.entries(site, 'look');
      return entries.map((entry) => ({ site, ...entry, leftMs: entry.until.getTime() - now }));
    });
    return (await Promise.all(rows)).flat();
  });
}

const HEAD = ['site', 'proxy', 'failures', 'last failure', 'back in', 'last error'];

function cellsOf({ site, proxy, failureCount, failedAt, leftMs, lastError }: Row): (string | number)[] {
  const back = formatDuration(leftMs);
  return [site, proxy, failureCount, formatInstant(failedAt.getTime()), back, printable(lastError)];
}
