// The end of a run, for a person: how it went, what there is, what to do next.

import type { RunKind, RunSummary } from '../ledger/run.ts';
import { formatCount, formatDuration, formatHealth, formatState, printable } from './format.ts';
import { DEFAULT_DATA } from './options.ts';
import { ownName, quoted } from './own-name.ts';
import type { RunState } from './state-now.ts';

export function formatSummary(summary: RunSummary, state: RunState = summary.status): string {
  const { requests } = summary;
  const verdicts = (['done', 'absent', 'skipped', 'failed', 'blocked', 'unknown', 'pending'] as const)
    .filter((verdict) => verdict === 'done' || requests[verdict] > 0)
    .map((verdict) => `${formatCount(requests[verdict])} ${verdict}`);
  const invalid = summary.invalid > 0 ? `, ${formatCount(summary.invalid)} of them invalid` : '';
  const lines = [
    `Run ${summary.run} of ${summary.name}: ${formatState(state)}, health ${formatHealth(summary.health)}`,
    `  requests  ${verdicts.join(', ')}`,
    `  records   ${formatCount(summary.records)}${invalid}`,
    `  time      ${formatDuration(summary.seconds * 1000)}`,
    ...coverageLines(summary),
    ...causeLines(summary),
    ...observedLines(summary),
    ...summary.warnings.map((warning) => `  note      ${printable(warning)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Why the run is not ok. `show` has all of it. */
function causeLines({ causes = [] }: RunSummary): string[] {
  return causes.map(({ verdict, reason, count, example }, at) => {
    // The first line says it; `show` has the others.
    const why = reason === undefined ? '' : `: ${printable(reason.split('\n', 1)[0] ?? '')}`;
    return `  ${at === 0 ? 'why' : '   '}       ${formatCount(count)} ${verdict}${why}, e.g. ${printable(example)}`;
  });
}

/** What the run says about its entries; links claim nothing. */
function coverageLines({ coverage }: RunSummary): string[] {
  return coverage
    .filter(({ complete }) => complete !== null)
    .map(({ entry, complete, statement }, at) => {
      const state = complete ? 'complete' : 'not complete';
      return `  ${at === 0 ? 'coverage' : '        '}  ${printable(entry)}: ${state}, ${printable(statement)}`;
    });
}

/** What each speculator may declare next time, as it is written in the scraper. */
function observedLines({ observed = {} }: RunSummary): string[] {
  return Object.entries(observed).map(([name, { highestObserved, largestObservedGap }]) => {
    const values = `highestObserved: ${highestObserved}, largestObservedGap: ${largestObservedGap}`;
    return `  observed  ${printable(name)}: { ${values} }`;
  });
}

const RESUMABLE: ReadonlySet<RunState> = new Set(['killed', 'not_started', 'interrupted', 'failed']);

/** What to do next, by what the run came to. */
export function nextSteps(summary: RunSummary, state: RunState = summary.status, kind?: RunKind): string[] {
  if (kind === 'mirror') return nextOfMirror(state);
  const { run, health, invalid } = summary;
  const next: string[] = [];
  if (RESUMABLE.has(state)) next.push(`resume ${run}`);
  if (health !== 'ok') next.push(`show ${run}`);
  if (invalid > 0) next.push(`records ${run} --invalid`);
  if (health === 'ok') next.push(`records ${run}`);
  return next;
}

/** A mirror's run is no scraper's: its commands continue it, and have what it found. */
function nextOfMirror(state: RunState): string[] {
  return state === 'completed' ? ['mirror report'] : ['mirror run --mode resume', 'mirror report'];
}

export function formatNext(steps: readonly string[], data: string): string {
  return steps.map((step, at) => `  ${at === 0 ? 'next' : '    '}      ${commandLine(step, data)}\n`).join('');
}

/** A command of ours as it can be pasted. */
export function commandLine(command: string, data: string): string {
  return `${ownName()} ${command}${data === DEFAULT_DATA ? '' : ` --data ${quoted(data)}`}`;
}
