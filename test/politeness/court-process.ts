// The court in a process of its own, so that what it measures is not held up by the client's work. Gone after its test.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import type { Fault } from '../../sim/fault.ts';
import type { LogEntry } from '../../sim/request-log.ts';

const MAIN = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));

export interface CourtProcess {
  readonly url: string;
  readonly host: string;
  fault(fault: Fault): Promise<void>;
  /** Ends all faults. */
  clear(): Promise<void>;
  /** Every request that arrived, in order. */
  log(): Promise<LogEntry[]>;
}

const living = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of living) child.kill('SIGKILL');
  await Promise.all([...living].map((child) => once(child, 'exit')));
});

export async function courtProcess(...args: string[]): Promise<CourtProcess> {
  const child = spawn(process.execPath, [MAIN, 'court', '--json', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  living.add(child);
  child.once('exit', () => living.delete(child));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, control }: { url: string; control: string } = JSON.parse(String(line));
  return {
    url,
    host: new URL(url).host,
    async fault(fault) {
      await fetch(`${control}/__sim/faults`, { method: 'POST', body: JSON.stringify(fault) });
    },
    async clear() {
      await fetch(`${control}/__sim/faults`, { method: 'DELETE' });
    },
    async log() {
      const text = await (await fetch(`${control}/__sim/log`)).text();
      return text
        .trim()
        .split('\n')
        .filter((entry) => entry !== '')
        .map((entry) => JSON.parse(entry));
    },
  };
}
