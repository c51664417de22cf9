import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { Ledger } from '../../ledger/ledger.ts';
import { systemClock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { jsonLine } from '../json-line.ts';
import { assertData } from '../look-at-data.ts';
import { addDataOption, addJsonOption, type DataOption, type JsonOption } from '../options.ts';
import { sayWalked } from './drive-site.ts';
import { addSiteArgument, findSite } from './find-site.ts';

export function define(command: Command): Command {
  addSiteArgument(command);
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText(
      'after',
      '\nRuns that were committed stay. A site that a process is walking is refused.\n\nExample:\n  curlew sites discard court.example',
    )
    .action(async (reference: string, options: DataOption & JsonOption) => {
      const { data } = options;
      assertData(data);
      // By its domain alone, so that a walk can be thrown away whose file is gone or does not load.
      const domain = existsSync(reference) ? (await findSite(reference, data)).site.domain : reference;
      const ledger = await Ledger.open(data, { clock: systemClock });
      try {
        const discarded = await ledger.sites.discard(domain);
        if (discarded === undefined) {
          throw new CurlewError(ErrorCode.noPartialRun, `There is no walk of ${domain} to discard in ${data}.`, {
            remedy: 'See what is walked and not committed with curlew sites status',
          });
        }
        const startPages = discarded.startPages.map(({ url, pages, urls }) => ({ url, pages, urls }));
        process.stdout.write(
          options.json
            ? `${jsonLine({ site: domain, discarded: { startPages } })}\n`
            : `Discarded the walk of ${domain}: ${sayWalked(discarded.startPages)} over ${startPages.length} start page(s).\n`,
        );
      } finally {
        await ledger.close();
      }
    });
}
