import type { Command } from 'commander';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { lookAtData } from '../look-at-data.ts';
import { addDataOption, addJsonOption, addResumedFetchOptions, addTriggerOption } from '../options.ts';
import { addAcceptOption, type DriveOptions, driveItems, driveSite } from './drive-site.ts';
import { addSiteArgument, findSite } from './find-site.ts';
import { whatIsKept } from './what-is-kept.ts';

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
      if (kept.kind === 'walk') return driveSite(found, options);
      if (kept.kind === 'run') return driveItems(found.site, kept.run, options);
      throw new CurlewError(ErrorCode.noPartialRun, `There is nothing to go on with for ${found.site.domain}.`, {
        remedy: `Walk its lists again: curlew sites run ${found.site.domain}`,
      });
    });
}
