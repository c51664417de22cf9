// Sees a site through on the command line: the walk, its commit, then its items as any run. Ctrl-C keeps what was walked; it
// is heard all the time, and what comes too late to stop the walk stops the run that it has become.

import type { Command } from 'commander';
import type { WalkEnd } from '../../engine/walk-site.ts';
import type { StartPage, StoredPartialRun } from '../../ledger/sites/partial-run-table.ts';
import type { SiteDefinition } from '../../sites/define-site.ts';
import { driveRun } from '../drive-run.ts';
import { ExitCode } from '../exit-code.ts';
import { formatCount, printable } from '../format.ts';
import { commandLine } from '../format-summary.ts';
import { jsonLine } from '../json-line.ts';
import { onSignals } from '../on-signals.ts';
import { type DataOption, type FetchOptions, type JsonOption, settingsFrom, type TriggerOption } from '../options.ts';
import type { FoundSite } from './find-site.ts';
import { showWalk } from './show-walk.ts';

export type DriveOptions = DataOption & JsonOption & FetchOptions & TriggerOption & AcceptOption;

export interface AcceptOption {
  readonly acceptMissing?: boolean;
}

export function addAcceptOption(command: Command): Command {
  return command.option('--accept-missing', 'accept that items which the run before had are in no list any more');
}

export async function driveSite({ site, source }: FoundSite, options: DriveOptions): Promise<void> {
  const { data } = options;
  say(
    `walking ${site.startPages.length} start page(s) of ${site.domain}, data in ${data}. Ctrl-C stops it; nothing is lost.`,
  );
  const ear = new Ear();
  try {
    const end = await walk({ site, source }, options, ear.listen);
    if (end.kind === 'stopped') {
      say(`stopped; what was walked is kept. Go on with: ${commandLine(`sites resume ${site.domain}`, data)}`);
      if (options.json) process.stdout.write(`${jsonLine({ site: site.domain, status: 'interrupted' })}\n`);
      process.exitCode = ExitCode.interrupted;
      return;
    }
    say(`committed ${formatCount(end.run.items)} items.`);
    await driveItems(site, end.run.id, options, ear.listen);
  } finally {
    ear.close();
  }
}

/** Works off the items of a run of that site. */
export async function driveItems(
  site: SiteDefinition,
  run: number,
  options: DriveOptions,
  listen: typeof onSignals = onSignals,
): Promise<void> {
  const { workSite } = await import('../../engine/walk-site.ts');
  await driveRun(workSite(site, { ...settingsFrom(options), data: options.data, run }), options, listen);
}

/** Hears signals for one after the other; the next is told what was heard before. */
class Ear {
  #heard: 0 | 1 | 2 = 0;
  #tell: (count: 1 | 2) => void = () => {};
  readonly close = onSignals((count) => {
    this.#heard = count;
    this.#tell(count);
  });

  readonly listen: typeof onSignals = (hear) => {
    this.#tell = hear;
    if (this.#heard > 0) hear(this.#heard === 1 ? 1 : 2);
    return () => {};
  };
}

async function walk({ site, source }: FoundSite, options: DriveOptions, listen: typeof onSignals): Promise<WalkEnd> {
  const { walkSite } = await import('../../engine/walk-site.ts');
  const handle = walkSite(site, {
    ...settingsFrom(options),
    data: options.data,
    source,
    trigger: options.trigger,
    acceptMissing: options.acceptMissing ?? false,
    onThrownAway: (walked) => shown.say(describeThrownAway(walked)),
    onProgress: ({ url, reason, pages, urls }) => {
      if (reason === undefined) return;
      shown.say(`${printable(url)}: ${formatCount(pages)} page(s), ${formatCount(urls)} items; ${printable(reason)}`);
    },
  });
  const shown = showWalk(handle);
  listen((count) => {
    shown.say(count === 1 ? 'stopping after what is on the wire. Once more to stop at once.' : 'stopping at once.');
    handle.stop(count === 1 ? 'gently' : 'now');
  });
  return handle.end.finally(() => shown.hide());
}

function describeThrownAway({ siteId, startPages }: StoredPartialRun): string {
  const walked = sayWalked(startPages);
  return `the definition of ${siteId} has changed since its lists were walked: ${walked} thrown away, walking anew.`;
}

/** How much was walked: `6 page(s) with 60 URLs`. */
export function sayWalked(startPages: readonly StartPage[]): string {
  const pages = startPages.reduce((sum, page) => sum + page.pages, 0);
  const urls = startPages.reduce((sum, page) => sum + page.urls, 0);
  return `${formatCount(pages)} page(s) with ${formatCount(urls)} URLs`;
}

function say(text: string): void {
  process.stderr.write(`curlew: ${text}\n`);
}
