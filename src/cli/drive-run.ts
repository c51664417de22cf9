// Sees a run through on the command line: progress while it goes, Ctrl-C stops it gently and a second one at once, the
// summary at the end.

import type { RunHandle } from '../engine/run.ts';
import type { RunSummary } from '../ledger/run.ts';
import { boundYoungGeneration } from '../platform/young-generation.ts';
import { ExitCode } from './exit-code.ts';
import { formatNext, formatSummary, nextSteps } from './format-summary.ts';
import { jsonLine } from './json-line.ts';
import { onSignals } from './on-signals.ts';
import { showProgress } from './show-progress.ts';

/** `listen`: how Ctrl-C is heard, where it was listened for before. */
export async function driveRun(
  handle: RunHandle,
  options: { readonly json?: boolean; readonly data: string },
  listen: typeof onSignals = onSignals,
): Promise<void> {
  boundYoungGeneration();
  const progress = showProgress(() => handle.progress());
  const release = listen((count) => {
    progress.say(count === 1 ? 'stopping after what is on the wire. Once more to stop at once.' : 'stopping at once.');
    handle.stop(count === 1 ? 'gently' : 'now');
  });
  try {
    const id = await handle.id;
    progress.say(`run ${id}, data in ${options.data}. Ctrl-C stops it; nothing is lost.`);
    const summary = await handle.summary;
    progress.hide();
    process.stdout.write(
      options.json ? `${jsonLine(summary)}\n` : formatSummary(summary) + formatNext(nextSteps(summary), options.data),
    );
    process.exitCode = exitCodeOf(summary);
  } finally {
    progress.hide();
    release();
  }
}

function exitCodeOf({ status, health }: RunSummary): ExitCode {
  if (status === 'interrupted') return ExitCode.interrupted;
  return status === 'completed' && health === 'ok' ? ExitCode.ok : ExitCode.notOk;
}
