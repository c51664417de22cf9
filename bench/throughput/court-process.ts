// The simulated site in a process of its own, so that its work is not counted with that of the crawler.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Court {
  readonly url: string;
  readonly pages: number;
  close(): Promise<void>;
}

export async function startCourt(pages: number, latencyMs: number): Promise<Court> {
  const main = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));
  const args = [
    main,
    'court',
    '--json',
    '--port',
    '0',
    '--pages',
    String(pages),
    '--latency',
    String(latencyMs),
    '--no-log',
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await Promise.race([once(child.stdout, 'data'), failed(child)]);
  return {
    url: JSON.parse(String(line)).url,
    pages,
    async close() {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  };
}

async function failed(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'close');
  throw new Error(`The simulated site ended with exit code ${code}`);
}
