// The end of a run, for a person: how it went, what there is, what to do next.

import type { RunSummary } from '../ledger/run.ts';
import { formatCount, formatDuration, formatHealth, formatStatus, printable } from './format.ts';

export function formatSummary(summary: RunSummary, data: string): string {
  const { requests } = summary;
  const verdicts = (['done', 'absent', 'skipped', 'failed', 'blocked', 'unknown', 'pending'] as const)
    .filter((verdict) => verdict === 'done' || requests[verdict] > 0)
    .map((verdict) => `${formatCount(requests[verdict])} ${verdict}`);
  const invalid = summary.invalid > 0 ? `, ${formatCount(summary.invalid)} of them invalid` : '';
  const lines = [
    `Run ${summary.run} of ${summary.name}: ${formatStatus(summary.status)}, health ${formatHealth(summary.health)}`,
    `  requests  ${verdicts.join(', ')}`,
    `  records   ${formatCount(summary.records)}${invalid}`,
    `  time      ${formatDuration(summary.seconds * 1000)}`,
    ...summary.warnings.map((warning) => `  note      ${printable(warning)}`),
    ...nextSteps(summary, data).map((step, index) => `  ${index === 0 ? 'next' : '    '}      ${step}`),
  ];
  return `${lines.join('\n')}\n`;
}

function nextSteps(summary: RunSummary, data: string): string[] {
  const where = data === './curlew-data' ? '' : ` --data ${data}`;
  const steps: string[] = [];
  if (summary.status !== 'completed') steps.push(`curlew resume ${summary.run}${where}`);
  if (summary.health !== 'ok') steps.push(`curlew show ${summary.run}${where}`);
  if (summary.invalid > 0) steps.push(`curlew records ${summary.run}${where} --invalid`);
  if (summary.health === 'ok') steps.push(`curlew records ${summary.run}${where}`);
  return steps;
}
