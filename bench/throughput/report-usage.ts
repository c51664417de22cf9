// Preloaded into every contender: at exit it writes what the process used. So that all are measured by the same hand.

import { readFileSync, writeFileSync } from 'node:fs';

/** What a process used from its start to its end. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

process.on('exit', () => {
  const path = process.env.BENCH_USAGE_FILE;
  if (path === undefined) return;
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuSeconds: (user + system) / 1e6, peakBytes: peakBytes() };
  writeFileSync(path, JSON.stringify(usage));
});

/** getrusage counts the parent's memory in, from before the exec; the kernel's own high-water mark does not. */
function peakBytes(): number {
  try {
    const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    if (match !== null) return Number(match[1]) * 1024;
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS * 1024;
}
