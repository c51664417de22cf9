import type { Command } from 'commander';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunId } from '../../ledger/run.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { lookAtData } from '../look-at-data.ts';
import { addDataOption, addJsonOption, addResumedFetchOptions, addTriggerOption } from '../options.ts';
import { stateNow } from '../state-now.ts';
import { addAcceptOption, type DriveOptions, driveItems, driveSite } from './drive-site.ts';
import { addSiteArgument, findSite } from './find-site.ts';

/** Runs that are looked through for one of the site. */
const MOST_RUNS = 1_000;

export function define(command: Command): Command {
  addSiteArgument(command);
  addResumedFetchOptions(command);
  addDataOption(command);
  addJsonOption(command);
  addTriggerOption(command);
  addAcceptOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew sites resume court.example')
    .action(async (reference: string, options: DriveOptions) => {
      const found = await findSite(reference, options.data);
      const kept = await lookAtData(options.data, (ledger) => whatIsKept(ledger, found.site.domain));
      if (kept === 'walk') await driveSite(found, options);
      else await driveItems(found.site, kept, options);
    });
}

/** A walk that is not committed, or else the latest run of the site if it is not completed. */
async function whatIsKept(ledger: Ledger, domain: string): Promise<'walk' | RunId> {
  if ((await ledger.sites.partialRun(domain)) !== undefined) return 'walk';
  const run = (await ledger.runs(MOST_RUNS)).find(({ kind, name }) => kind === 'site' && name === domain);
  if (run !== undefined && (await stateNow(ledger, run)) !== 'completed') return run.id;
  throw new CurlewError(ErrorCode.noPartialRun, `There is nothing to go on with for ${domain}.`, {
    remedy: 'Begin with curlew sites run.',
  });
}
