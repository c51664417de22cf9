import type { Command } from 'commander';
import type { HostWait } from '../../fetch/host-wait.ts';
import { syncSource } from '../../mirror/on-demand.ts';
import { announceWaits } from '../announce-waits.ts';
import { ExitCode } from '../exit-code.ts';
import { formatCount, printable } from '../format.ts';
import { jsonLine } from '../json-line.ts';
import {
  addLookOptions,
  addMirrorFetchOptions,
  fetchSettingsFrom,
  type LookOptions,
  type MirrorFetchOptions,
} from './mirror-options.ts';

type Options = LookOptions & MirrorFetchOptions & { readonly acceptShrink?: boolean };

export function define(command: Command): Command {
  command.option('--accept-shrink', 'take over an index in which more than 20 % of the cases are gone');
  addMirrorFetchOptions(addLookOptions(command));
  return command.addHelpText('after', '\nExample:\n  curlew mirror sync').action(async (options: Options) => {
    const { data, source, acceptShrink } = options;
    let waits: () => readonly HostWait[] = () => [];
    const stopAnnouncing = announceWaits(
      () => waits(),
      (text) => process.stderr.write(`curlew: ${text}\n`),
    );
    const onWaits = (look: typeof waits) => {
      waits = look;
    };
    const fetch = fetchSettingsFrom(options);
    const sync = await syncSource({ data, targetSource: source, acceptShrink, fetch, onWaits }).finally(stopAnnouncing);
    const {
      versionId,
      isNewVersion,
      newCaseIds,
      changedCaseIds,
      removedCaseIds,
      returnedCaseIds,
      refused,
      unreadableRows,
    } = sync;
    const counts = {
      new_cases: newCaseIds.length,
      changed_cases: changedCaseIds.length,
      removed_cases: removedCaseIds.length,
      returned_cases: returnedCaseIds.length,
    };
    const told = {
      csv_version_id: versionId,
      is_new_version: isNewVersion,
      ...counts,
      refused: refused ?? null,
      unreadable_rows: unreadableRows ?? null,
    };
    if (options.json) process.stdout.write(`${jsonLine(told)}\n`);
    else {
      const what = Object.entries(counts).map(([name, count]) => `${formatCount(count)} ${name.replace('_cases', '')}`);
      const state = isNewVersion ? `is new: ${what.join(', ')}` : 'is current';
      process.stdout.write(
        refused === undefined
          ? `Version ${versionId} of the index ${state}.\n`
          : `Version ${versionId} of the index stays in use; what came was refused (version ${refused.versionId}): ${printable(refused.reason)}.\n`,
      );
      if (unreadableRows !== undefined) process.stdout.write(`${printable(unreadableRows)}\n`);
    }
    process.exitCode = refused === undefined && unreadableRows === undefined ? ExitCode.ok : ExitCode.notOk;
  });
}
