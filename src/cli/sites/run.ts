import type { Command } from 'commander';
import { addDataOption, addFetchOptions, addJsonOption } from '../options.ts';
import { type DriveOptions, driveSite } from './drive-site.ts';
import { findSite } from './find-site.ts';

export function define(command: Command): Command {
  command.argument('<site.ts>', 'file that exports a site as default; or a domain that was walked here before');
  addFetchOptions(command);
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew sites run listing-site.ts --rate 2')
    .action(async (reference: string, options: DriveOptions) => {
      await driveSite(await findSite(reference, options.data), options);
    });
}
