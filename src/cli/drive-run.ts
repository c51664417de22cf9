// Sees a run through on the command line: progress while it goes, Ctrl-C stops it gently and a second one at once, the
// summary at the end.

import type { RunHandle } from '../engine/run.ts';
import type { RunSummary } from '../ledger/run.ts';
import { ExitCode } from './exit-code.ts';
import { formatSummary } from './format-summary.ts';
import { showProgress } from './show-progress.ts';

export async function driveRun(
  handle: RunHandle,
  options: { readonly json?: boolean; readonly data: string },
): Promise<void> {
  let signals = 0;
  const onSignal = () => {
    signals++;
    if (signals === 1)
      process.stderr.write('\ncurlew: stopping after what is on the wire. Once more to stop at once.\n');
    handle.stop(signals === 1 ? 'gently' : 'now');
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const hide = showProgress(() => handle.progress());
  try {
    const summary = await handle.summary;
    hide();
    process.stdout.write(options.json ? `${JSON.stringify(summary)}\n` : formatSummary(summary, options.data));
    process.exitCode = exitCodeOf(summary);
  } finally {
    hide();
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

export function exitCodeOf({ status, health }: RunSummary): ExitCode {
  if (status === 'interrupted') return ExitCode.interrupted;
  return status === 'completed' && health === 'ok' ? ExitCode.ok : ExitCode.notOk;
}
