import type { Command } from 'commander';
import { hasData, lookAtData } from '../look-at-data.ts';
import { addDataOption, addFetchOptions, addJsonOption, addTriggerOption } from '../options.ts';
import { addAcceptOption, type DriveOptions, driveItems, driveSite } from './drive-site.ts';
import { addSiteArgument, findSite } from './find-site.ts';
import { whatIsKept } from './what-is-kept.ts';

export function define(command: Command): Command {
  addSiteArgument(command);
  addFetchOptions(command);
  addDataOption(command);
  addJsonOption(command);
  addTriggerOption(command);
  addAcceptOption(command).option('--new-walk', 'walk the lists although the last run of the site is not completed');
  return command
    .addHelpText('after', '\nExample:\n  curlew sites run listing-site.ts --rate 2')
    .action(async (reference: string, options: DriveOptions & { readonly newWalk?: boolean }) => {
      const found = await findSite(reference, options.data);
      const { domain } = found.site;
      const kept = hasData(options.data)
        ? await lookAtData(options.data, (ledger) => whatIsKept(ledger, domain))
        : { kind: 'nothing' as const };
      if (kept.kind !== 'run' || options.newWalk) return driveSite(found, options);
      const state = kept.state.replace('_', ' ');
      process.stderr.write(
        `curlew: run ${kept.run} of ${domain} is ${state}, not completed: continuing it. To walk its lists again instead: --new-walk\n`,
      );
      await driveItems(found.site, kept.run, options);
    });
}
