// Holds each page process of Chromium to a limit of memory: one that takes more is ended, which fails the load it works for
// and nothing else. Chromium itself sets none to what scripts fill. Works where the system tells what a process takes: Linux.

import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';

const LOOK_MS = 500;

/** Looks at the processes of `browser` again and again until it is gone. */
export function watchMemory(browser: Browser, maxBytes: number): void {
  if (process.platform !== 'linux' || !browser.isConnected()) return;
  const look = async () => {
    // Whoever cannot be asked is looked at next time, or is gone.
    await endTooLarge(browser, maxBytes).catch(() => {});
    watchMemory(browser, maxBytes);
  };
  setTimeout(look, LOOK_MS).unref();
}

async function endTooLarge(browser: Browser, maxBytes: number): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  for (const { type, id } of processInfo) {
    if (type === 'renderer' && (await memoryOf(id)) > maxBytes) process.kill(id, 'SIGKILL');
  }
}

/** What a process holds, in memory or swapped out. */
async function memoryOf(pid: number): Promise<number> {
  // proc_pid_status(5). A process that ended meanwhile holds nothing.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = [...status.matchAll(/^(?:VmRSS|VmSwap):\s+(\d+) kB$/gm)].map(([, amount]) => Number(amount));
  return kilobytes.reduce((sum, amount) => sum + amount, 0) * 1024;
}
