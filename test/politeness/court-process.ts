// The court in a process of its own, so that what it measures is not held up by the client's work. Gone after its test.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import type { Fault } from '../../sim/fault.ts';
import type { LogEntry } from '../../sim/request-log.ts';

const MAIN = fileURLToPath(new URL('../../sim/court/main.ts', import.meta.url));

export interface CourtProcess {
  readonly url: string;
  readonly host: string;
  fault(fault: Fault): Promise<void>;
  /** Every request that arrived, in order. */
  log(): Promise<LogEntry[]>;
}

const living = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of living) child.kill('SIGKILL');
  await Promise.all([...living].map((child) => once(child, 'exit')));
});

/** On a busy machine a server that has to wait for its turn notes arrivals late. Only some users may do this. */
function preferred(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_HIGHEST);
  } catch {
    // Then the machine has to be quiet enough.
  }
}

export async function courtProcess(...args: string[]): Promise<CourtProcess> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  preferred(child.pid);
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
