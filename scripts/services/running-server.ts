// A server that was started here, and only that: it is signalled by the id of its own process, never by a name.
// Its port and its data outlive a kill, so that it can be started again as the same server.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { messageOf } from '../../src/platform/errors.ts';

const START_LIMIT_MS = 90_000;
const START_ATTEMPTS = 3;
const STOP_LIMIT_MS = 20_000;
const POLL_MS = 25;

/** How a server's program is run: as it is, or in a container that shares the network and the data directory. */
export type Program =
  | { readonly kind: 'native'; readonly command: readonly string[] }
  | { readonly kind: 'container'; readonly image: string; readonly command: readonly string[] };

export interface ServerPlan {
  readonly name: string;
  /** Loopback, free at the moment it was chosen. */
  readonly port: number;
  readonly directory: string;
  readonly address: string;
  readonly program: Program;
  /** Whether it answers; called again and again, with all it has written to its output. */
  ready(output: string): Promise<boolean>;
}

export class RunningServer {
  /** `redis://127.0.0.1:1234`, or `127.0.0.1:1234` for Kafka. The same after a restart. */
  readonly address: string;
  readonly port: number;
  /** Holds its data, and what it said in `output.log`. */
  readonly directory: string;
  readonly #plan: ServerPlan;
  readonly #container: string;
  readonly #killAtExit = () => {
    this.#child?.kill('SIGKILL');
    rmSync(this.directory, { recursive: true, force: true });
  };
  #child: ChildProcess | undefined;

  private constructor(plan: ServerPlan) {
    this.#plan = plan;
    this.address = plan.address;
    this.port = plan.port;
    this.directory = plan.directory;
    this.#container = `curlew-${plan.name}-${plan.port}`;
    process.once('exit', this.#killAtExit);
    exitWhenTerminated();
  }

  /**
   * Starts a server and waits until it answers. One that does not is removed, and another is tried: its port may have been
   * taken between looking and listening. The error has the last words of the last one.
   */
  static async start(plan: () => Promise<ServerPlan>): Promise<RunningServer> {
    for (let attempt = 1; ; attempt++) {
      const server = new RunningServer(await plan());
      try {
        await server.start();
        return server;
      } catch (error) {
        await server.close();
        if (attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  /** The process to be signalled; undefined when it is not running. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts it again on the same port with the same data. Nothing happens when it runs. */
  async start(): Promise<void> {
    if (this.#child !== undefined) return;
    const [command = '', ...args] = commandLine(this.#plan, this.#container);
    const output = await open(join(this.directory, 'output.log'), 'w');
    const child = spawn(command, args, { stdio: ['ignore', output.fd, output.fd], detached: true });
    await output.close();
    this.#child = child;
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    // An unstartable program is reported below, by the absence of the process.
    child.once('error', () => {
      if (this.#child === child) this.#child = undefined;
    });
    const deadline = Date.now() + START_LIMIT_MS;
    for (;;) {
      const said = await readFile(join(this.directory, 'output.log'), 'utf8');
      if (await this.#plan.ready(said)) return;
      const trouble =
        this.#child === undefined ? 'ended' : Date.now() > deadline ? `did not answer within ${START_LIMIT_MS} ms` : '';
      if (trouble !== '') throw new Error(`${this.#plan.name} ${trouble}. It said: ${said.slice(-2_000).trim()}`);
      await sleep(POLL_MS);
    }
  }

  /** Ends it as a power cut would. Port and data stay. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Freezes it: connections stay open, and nothing is answered. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Leaves it running when this process ends. It has to be stopped by its id. */
  release(): void {
    process.off('exit', this.#killAtExit);
    this.#child?.unref();
  }

  /** Ends it in good order, by force if that takes too long. Port and data stay. */
  async stop(): Promise<void> {
    this.resume();
    const patience = setTimeout(() => void this.#end('SIGKILL'), STOP_LIMIT_MS);
    try {
      await this.#end('SIGTERM');
    } finally {
      clearTimeout(patience);
    }
  }

  /** Stops it and removes its data. */
  async close(): Promise<void> {
    await this.stop();
    await rm(this.directory, { recursive: true, force: true });
    process.off('exit', this.#killAtExit);
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const gone = once(child, 'exit');
    if (this.#plan.program.kind === 'native') child.kill(signal);
    else await promisify(execFile)('docker', ['kill', '--signal', signal, this.#container]);
    await gone;
  }
}

/** Runs a program of the server's that prepares its directory. Rejects when it fails. */
export async function runToEnd(plan: Pick<ServerPlan, 'name' | 'directory' | 'program'>): Promise<void> {
  const [command = '', ...args] = commandLine(plan, `curlew-${plan.name}-${process.pid}`);
  await promisify(execFile)(command, args);
}

function commandLine(
  { program, directory }: Pick<ServerPlan, 'program' | 'directory'>,
  container: string,
): readonly string[] {
  if (program.kind === 'native') return program.command;
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const shared = ['--network', 'host', '--user', user, '--volume', `${directory}:${directory}`];
  return ['docker', 'run', '--rm', '--name', container, ...shared, program.image, ...program.command];
}

export function temporaryDirectory(name: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `curlew-${name}-`));
}

let exits = false;

/** Without a listener a signal ends the process with no `exit` event, and the servers would be left behind. */
function exitWhenTerminated(): void {
  if (exits) return;
  exits = true;
  process.once('SIGTERM', () => process.exit(143));
}

/** Ports of loopback that nobody listens on, each another one. */
export async function freePorts(count: number): Promise<number[]> {
  const probes = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(probes.map((probe) => once(probe, 'listening')));
  const ports = probes.map((probe) => {
    const address = probe.address();
    if (address === null || typeof address === 'string') throw new Error('The probe has no port.');
    return address.port;
  });
  await Promise.all(probes.map((probe) => once(probe.close(), 'close')));
  return ports;
}

/** Gives what a command printed; undefined when it cannot be run or fails. */
export async function outputOf(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await promisify(execFile)(command, [...args])).stdout.trim();
  } catch {
    return undefined;
  }
}

/** Gets an image of Docker's. Gives the reason when it cannot be done, as a sentence. */
export async function pullImage(image: string): Promise<string | undefined> {
  try {
    await promisify(execFile)('docker', ['pull', '--quiet', image]);
    return undefined;
  } catch (error) {
    return `Docker has no ${image} either: ${messageOf(error).trim()}`;
  }
}

export async function hasImage(image: string): Promise<boolean> {
  return (await outputOf('docker', ['image', 'inspect', '--format', '{{.Id}}', image])) !== undefined;
}
