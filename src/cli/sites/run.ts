import type { Command } from 'commander';
import { addDataOption, addFetchOptions, addJsonOption, addTriggerOption } from '../options.ts';
import { addAcceptOption, type DriveOptions, driveSite } from './drive-site.ts';
import { addSiteArgument, findSite } from './find-site.ts';

export function define(command: Command): Command {
  addSiteArgument(command);
  addFetchOptions(command);
  addDataOption(command);
  addJsonOption(command);
  addTriggerOption(command);
  addAcceptOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew sites run listing-site.ts --rate 2')
    .action(async (reference: string, options: DriveOptions) => {
      await driveSite(await findSite(reference, options.data), options);
    });
}
