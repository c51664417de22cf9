import type { Command } from 'commander';
import * as commit from './sites/commit.ts';
import * as discard from './sites/discard.ts';
import * as proxies from './sites/proxies.ts';
import * as resume from './sites/resume.ts';
import * as run from './sites/run.ts';
import * as status from './sites/status.ts';

export function define(command: Command): Command {
  run.define(command.command('run').description('Walk the lists of a site, commit what they have, read the items'));
  status.define(command.command('status').description('Show what was walked and is not yet committed'));
  resume.define(command.command('resume').description('Go on with a walk, or with the run it became'));
  commit.define(command.command('commit').description('Commit what was walked, without walking'));
  discard.define(command.command('discard').description('Throw away what was walked and is not committed'));
  proxies.define(command.command('proxies').description('Show which proxies rest, and for how long'));
  return command.addHelpText('after', '\nExample:\n  curlew sites run listing-site.ts --rate 2');
}
