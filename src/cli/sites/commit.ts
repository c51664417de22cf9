import type { Command } from 'commander';
import { formatCount } from '../format.ts';
import { formatNext } from '../format-summary.ts';
import { jsonLine } from '../json-line.ts';
import { assertData } from '../look-at-data.ts';
import { addDataOption, addJsonOption, type DataOption, type JsonOption } from '../options.ts';
import { type AcceptOption, addAcceptOption } from './drive-site.ts';
import { addSiteArgument, findSite } from './find-site.ts';

export function define(command: Command): Command {
  addSiteArgument(command);
  addDataOption(command);
  addJsonOption(command);
  addAcceptOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew sites commit court.example')
    .action(async (reference: string, options: DataOption & JsonOption & AcceptOption) => {
      assertData(options.data);
      const { site, source } = await findSite(reference, options.data);
      const { commitSite } = await import('../../engine/walk-site.ts');
      const { data, acceptMissing = false } = options;
      const { id, items } = await commitSite(site, { data, source, acceptMissing });
      process.stdout.write(
        options.json
          ? `${jsonLine({ run: id, site: site.domain, items })}\n`
          : `Committed ${formatCount(items)} items of ${site.domain} as run ${id}.\n${formatNext([`resume ${id}`], options.data)}`,
      );
    });
}
