// Servers that outlive the command that started them. A note beside the cache says which process each one is, so that
// stopping ends that very process and never another that has its name or its old id.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { identityOf, lookUpProcess } from '../../src/platform/process-identity.ts';
import { cacheDirectory } from './cache-directory.ts';
import type { Ensured, Server } from './service.ts';

const STOP_LIMIT_MS = 20_000;

const Note = z.object({
  address: z.string(),
  directory: z.string(),
  process: z.object({ pid: z.number(), began: z.string(), machine: z.string() }),
});
type Note = z.infer<typeof Note>;

/** Starts the server, or finds the one that an earlier call started. One that the environment names is left alone. */
export async function startInBackground(server: Server): Promise<Ensured> {
  const given = server.given();
  if (given !== undefined) return { kind: 'ready', facts: { address: given } };
  const running = await read(server);
  if (running !== undefined) return { kind: 'ready', facts: factsOf(running) };
  const started = await server.start();
  const { address, directory, pid } = started;
  if (pid === undefined) return { kind: 'missing', reason: `${server.name} ended at once.` };
  const note: Note = { address, directory, process: identityOf(pid) };
  await mkdir(dirname(noteOf(server)), { recursive: true });
  await writeFile(noteOf(server), JSON.stringify(note));
  started.release();
  return { kind: 'ready', facts: factsOf(note) };
}

/** Ends what `startInBackground` started, and removes its data. */
export async function stopInBackground(server: Server): Promise<Ensured> {
  const running = await read(server);
  if (running === undefined) return { kind: 'ready', facts: { state: 'not running' } };
  process.kill(running.process.pid, 'SIGTERM');
  for (let waited = 0; lookUpProcess(running.process) === 'alive'; waited += 50) {
    if (waited >= STOP_LIMIT_MS) process.kill(running.process.pid, 'SIGKILL');
    await sleep(50);
  }
  await rm(running.directory, { recursive: true, force: true });
  await rm(noteOf(server));
  return { kind: 'ready', facts: { state: 'stopped' } };
}

function noteOf(server: Server): string {
  return join(cacheDirectory(), 'running', `${server.name}.json`);
}

/** The note of a server that is still alive. */
async function read(server: Server): Promise<Note | undefined> {
  const text = await readFile(noteOf(server), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const note = Note.parse(JSON.parse(text));
  return lookUpProcess(note.process) === 'alive' ? note : undefined;
}

function factsOf({ address, directory, process: { pid } }: Note): Record<string, string> {
  return { address, pid: `${pid}`, directory };
}
