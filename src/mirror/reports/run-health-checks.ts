// Whether a mirror could run here: settings, disk, ledger, whether files and ledger agree, and how current each index is.
// That files and ledger disagree is told and does not decide: a lost file is no reason to refuse to fetch it again. An
// index that the site does not confirm decides on the command line, and not for a service: it is well, the site is not.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ledger } from '../../ledger/ledger.ts';
import type { Clock, Instant } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import { systemFiles } from '../../platform/files.ts';
import { makeDirectory } from '../../platform/make-directory.ts';
import { type Environment, readConfig } from '../config/mirror-config.ts';
import { type Entrypoint, validateRuntimeConfig } from '../config/validate-runtime-config.ts';
import { isInPlace } from '../held-files.ts';
import { type MirrorDirectory, mirrorDirectory } from '../mirror-directory.ts';
import { SOURCES } from '../sources/source-registry.ts';
import { indexState, sayIndexState } from './index-state.ts';

interface HealthCheck {
  readonly ok: boolean;
  readonly detail: string;
}

export interface HealthReport {
  /** `consistency` is not counted, and `index` and `fixity` only on the command line. */
  readonly ok: boolean;
  readonly checks: {
    readonly config: HealthCheck;
    readonly filesystem: HealthCheck;
    readonly database: HealthCheck;
    readonly consistency: HealthCheck;
    readonly index: HealthCheck;
    /** What the scrubber of the server found. */
    readonly fixity: HealthCheck;
  };
}

export interface HealthContext {
  /** The data directory; made if need be. */
  readonly data: string;
  readonly env: Environment;
  readonly clock: Clock;
}

const MB = 2 ** 20;

export async function runHealthChecks(entrypoint: Entrypoint, context: HealthContext): Promise<HealthReport> {
  const { data, env, clock } = context;
  const directory = mirrorDirectory(data);
  const config = await check(async () => checkConfig(entrypoint, env));
  const filesystem = await check(() => checkFilesystem(directory, readConfig(env).config.minFreeMb));
  let consistency: HealthCheck = { ok: false, detail: 'the ledger cannot be read' };
  let index = consistency;
  let fixity = consistency;
  const database = await check(async () => {
    const ledger = await Ledger.open(data, { clock });
    try {
      const [latest] = await ledger.mirror.runs(undefined, 1);
      consistency = await check(() => checkConsistency(ledger, directory));
      index = await check(() => checkIndexes(ledger, clock.now()));
      fixity = await check(async () => checkFixity(ledger, clock.now()));
      if (latest === undefined) return 'no mirror runs yet';
      const isKilled = latest.status === 'running' && (await ledger.holderOf(latest.id)) === undefined;
      return `latest mirror run ${latest.id}: ${isKilled ? 'killed' : latest.status}`;
    } finally {
      await ledger.close();
    }
  });
  const ok = config.ok && filesystem.ok && database.ok && ((index.ok && fixity.ok) || entrypoint !== 'cli');
  return { ok, checks: { config, filesystem, database, consistency, index, fixity } };
}

function checkConfig(entrypoint: Entrypoint, env: Environment): string {
  const { warnings } = validateRuntimeConfig(entrypoint, undefined, env);
  return warnings.length === 0 ? 'every setting can be used' : warnings.join('; ');
}

async function checkFilesystem(directory: MirrorDirectory, minFreeMb: number): Promise<string> {
  for (const path of [directory.csv, directory.partial, directory.logs]) makeDirectory(path);
  const probe = join(directory.partial, `health-${process.pid}`);
  await writeFile(probe, 'ok');
  await rm(probe);
  const freeMb = Math.floor((await systemFiles.freeBytes(directory.path)) / MB);
  if (freeMb < minFreeMb) throw new Error(`${freeMb} MB are free, fewer than BAILIIKC_MIN_FREE_MB (${minFreeMb})`);
  return `${freeMb} MB are free`;
}

async function checkConsistency(ledger: Ledger, { pdfs }: MirrorDirectory): Promise<string> {
  const held = (await ledger.mirror.caseFacts(undefined)).flatMap((fact) =>
    fact.held === undefined ? [] : [fact.held],
  );
  const lost = held.filter((file) => !isInPlace(pdfs, file));
  if (lost.length > 0)
    throw new Error(`${lost.length} of ${held.length} files are not in their place; see curlew mirror verify`);
  return `${held.length} files are in their place`;
}

async function checkIndexes({ mirror }: Ledger, now: Instant): Promise<string> {
  const states = await Promise.all(SOURCES.sources.map(({ id }) => indexState(mirror, id, now)));
  const text = states.map((state) => `${state.source}: ${sayIndexState(state)}`).join('; ');
  if (states.some(({ problem }) => problem !== null)) throw new Error(text);
  return text;
}

function checkFixity({ scrub }: Ledger, now: Instant): string {
  const [first] = scrub.open(1);
  if (first !== undefined) {
    throw new Error(
      `${scrub.count()} damaged, found by the scrubber: ${first.problem}; curlew verify --repair fetches it again`,
    );
  }
  const state = scrub.state();
  if (state === undefined) return 'no scrubber has looked yet (curlew serve)';
  if (state.lastRoundAt === undefined) return `${state.checked} looked at so far, none damaged`;
  return `none damaged, no check is older than ${Math.ceil((now - state.lastRoundAt) / DAY_MS)} days`;
}

const DAY_MS = 86_400_000;

async function check(work: () => Promise<string>): Promise<HealthCheck> {
  try {
    return { ok: true, detail: await work() };
  } catch (error) {
    return { ok: false, detail: messageOf(error) };
  }
}
