import type { Command } from 'commander';
import * as health from './health.ts';
import * as config from './mirror/config.ts';
import * as diff from './mirror/diff.ts';
import * as explain from './mirror/explain.ts';
import * as exportCases from './mirror/export.ts';
import * as replay from './mirror/replay.ts';
import * as report from './mirror/report.ts';
import * as run from './mirror/run.ts';
import * as runSummary from './mirror/run-summary.ts';
import * as runs from './mirror/runs.ts';
import * as sync from './mirror/sync.ts';
import * as verify from './mirror/verify.ts';

export function define(command: Command): Command {
  sync.define(command.command('sync').description('Bring the cases up to the index, and fetch no file'));
  run.define(command.command('run').description('Bring the cases up to the index, and fetch the files'));
  verify.define(command.command('verify').description('Read every file again and compare it with the ledger'));
  report.define(command.command('report').description('Say how much is held, and why the rest is not'));
  exportCases.define(command.command('export').description('Print what is held, one JSON object a line'));
  runs.define(command.command('runs').description('List the runs'));
  runSummary.define(command.command('run-summary').description('Show counts and reasons of a run'));
  explain.define(command.command('explain').description('Tell what happened to a case, in order'));
  diff.define(command.command('diff').description('Compare two versions of the index'));
  replay.define(command.command('replay').description('Run recorded answers through the code again, offline'));
  health.define(command.command('health').description('Check whether a mirror could run here'));
  config.define(command.command('config').description('List every setting with its default'));
  return command.addHelpText('after', '\nExample:\n  curlew mirror run --mode new');
}
