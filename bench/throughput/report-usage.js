// Preloaded into every contender: at exit it writes what the process used, so that all are measured by the same hand. In
// JavaScript, so that it does not make a process load what strips types.

import { readFileSync, writeFileSync } from 'node:fs';

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const usage = { cpuSeconds: (user + system) / 1e6, peakBytes: peakBytes() };
  writeFileSync(process.env.BENCH_USAGE_FILE, JSON.stringify(usage));
});

/** getrusage counts the parent's memory in, from before the exec; the kernel's own high-water mark does not. */
function peakBytes() {
  try {
    const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    if (match !== null) return Number(match[1]) * 1024;
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS * 1024;
}
