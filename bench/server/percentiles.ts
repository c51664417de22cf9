// Times as a table.

export interface Timing {
  readonly name: string;
  readonly ms: readonly number[];
}

export function percentile(ms: readonly number[], share: number): number {
  const sorted = ms.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function formatTimings(timings: readonly Timing[]): string {
  const head = `${'call'.padEnd(44)} ${'calls'.padStart(6)} ${'p50 ms'.padStart(8)} ${'p99 ms'.padStart(8)} ${'max ms'.padStart(8)}`;
  const lines = timings.map(({ name, ms }) => {
    const cells = [percentile(ms, 0.5), percentile(ms, 0.99), Math.max(...ms)].map((value) =>
      value.toFixed(1).padStart(8),
    );
    return `${name.padEnd(44)} ${String(ms.length).padStart(6)} ${cells.join(' ')}`;
  });
  return [head, ...lines].join('\n');
}
