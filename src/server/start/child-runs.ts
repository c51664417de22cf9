// Runs work in processes of their own, apart from the server: when one crashes the server goes on, when the server ends they
// go on, and whoever looks into the ledger finds them. Curlew's own command line is all the server knows of them.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ReportedRun } from '../../ledger/reports/run-report.ts';
import type { Clock } from '../../platform/clock.ts';
import { ErrorCode } from '../../platform/errors.ts';
import { packageRoot } from '../../platform/version.ts';
import { HttpError, ofCode } from '../http/http-error.ts';

/** What a process has begun: a run, or the walk of a site that is not yet one. */
export type BegunWork =
  | { readonly kind: 'run'; readonly run: ReportedRun }
  | { readonly kind: 'walk'; readonly site: string };

export interface ChildRun {
  readonly work: BegunWork;
  /** Resolves when the process is gone, with the last line of JSON it wrote. Pending for ever when it outlives the server. */
  readonly ended: Promise<ChildEnd>;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly lastLine: unknown;
}

const ErrorLine = z.object({
  error: z.object({ code: z.enum(ErrorCode), message: z.string(), remedy: z.string().optional() }),
});
/** Every summary names its run. */
const SummaryLine = z.union([
  z.object({ run: z.int() }).transform(({ run }) => run),
  z.object({ runId: z.int() }).transform(({ runId }) => runId),
]);

/** Not for scrapers' eyes. */
const SECRETS = ['CURLEW_TOKEN', 'CURLEW_READ_TOKEN', 'BAILIIKC_WEBHOOK_SHARED_SECRET'];
const LOOK_MS = 40;
/** A start loads the scraper and opens the ledger. */
const LONGEST_START_MS = 60_000;

export class ChildRuns {
  readonly #data: string;
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #env: NodeJS.ProcessEnv;

  constructor(data: string, ledger: Ledger, clock: Clock, env: NodeJS.ProcessEnv) {
    this.#data = data;
    this.#ledger = ledger;
    this.#clock = clock;
    this.#env = Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.includes(name)));
  }

  /** Starts a command that begins or goes on with a run. Throws what the command says when it begins none. */
  async start(args: readonly string[]): Promise<ChildRun> {
    const { child, ended } = this.#spawn([...args, '--data', this.#data, '--json']);
    ended.catch(() => {});
    return { work: await this.#workOf(child, ended), ended };
  }

  /** Runs a command that looks into the data directory and begins no run. Gives the JSON it writes; throws what it says. */
  askData(args: readonly string[]): Promise<unknown> {
    return this.ask([...args, '--data', this.#data]);
  }

  /** Runs a command that begins no run, and gives the JSON it writes. Throws what the command says. */
  async ask(args: readonly string[]): Promise<unknown> {
    const { lastLine } = await this.#spawn([...args, '--json']).ended;
    throwError(lastLine);
    return lastLine;
  }

  #spawn(args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<ChildEnd> } {
    const output = openNamelessFile();
    const child = spawn(process.execPath, [join(packageRoot(), 'bin', 'curlew.js'), ...args], {
      detached: true,
      stdio: ['ignore', output, 'ignore'],
      env: this.#env,
    });
    child.unref();
    return { child, ended: endOf(child, output) };
  }

  async #workOf(child: ChildProcess, ended: Promise<ChildEnd>): Promise<BegunWork> {
    const { pid = -1 } = child;
    const state: { end?: ChildEnd; error?: unknown } = {};
    ended.then(
      (end) => (state.end = end),
      (error) => (state.error = error),
    );
    const deadline = this.#clock.monotonic() + LONGEST_START_MS;
    while (this.#clock.monotonic() < deadline) {
      if (state.error !== undefined) throw state.error;
      // Looked at before the ledger: what it did until then is there.
      const { end } = state;
      const { run, site } = await this.#ledger.reports.ownedBy(pid);
      if (run !== undefined) return { kind: 'run', run };
      if (site !== undefined) return { kind: 'walk', site };
      if (end !== undefined) return this.#ofEnded(end);
      await this.#clock.sleep(LOOK_MS);
    }
    throw new HttpError(500, 'start_failed', { message: `The process ${pid} did not begin a run in time.` });
  }

  /** It was quicker than we. */
  async #ofEnded({ code, lastLine }: ChildEnd): Promise<BegunWork> {
    throwError(lastLine);
    const id = SummaryLine.safeParse(lastLine).data;
    const run = id === undefined ? undefined : await this.#ledger.reports.run(id);
    if (run !== undefined) return { kind: 'run', run };
    throw new HttpError(500, 'start_failed', { message: `The process ended with code ${code} before a run began.` });
  }
}

/** Throws what a command says went wrong. */
export function throwError(lastLine: unknown): void {
  const said = ErrorLine.safeParse(lastLine).data?.error;
  if (said !== undefined) throw ofCode(said.code, said.message, said.remedy);
}

/**
 * For what a child writes. A file, not a pipe: a pipe would break when the server ends. It has no name any more, so that
 * nothing is left of it when both are gone, whichever goes first and however.
 */
function openNamelessFile(): number {
  const directory = mkdtempSync(join(tmpdir(), 'curlew-child-'));
  try {
    return openSync(join(directory, 'stdout'), 'w+');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function endOf(child: ChildProcess, output: number): Promise<ChildEnd> {
  try {
    const [code] = await once(child, 'exit');
    // From its beginning: the child has moved the place where both go on.
    const written = Buffer.alloc(fstatSync(output).size);
    readSync(output, written, 0, written.length, 0);
    return { code, lastLine: parse(written.toString().trim().split('\n').at(-1) ?? '') };
  } finally {
    closeSync(output);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
