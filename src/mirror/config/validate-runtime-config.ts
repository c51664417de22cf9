// What every way in asks before it begins: a dangerous or senseless setting stops it here, and not halfway through a run.

import type { Mode } from '../../ledger/mirror/mirror-run.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { type Environment, type MirrorConfig, readConfig } from './mirror-config.ts';

const ENTRYPOINTS = ['cli', 'ui', 'webhook', 'cron', 'replay', 'tests'] as const;
/** By which way a run was asked for. Only `replay` and `tests` may switch the network off. */
export type Entrypoint = (typeof ENTRYPOINTS)[number];

/** Those that may switch the network off. */
const OFFLINE: readonly Entrypoint[] = ['replay', 'tests'];

export interface RuntimeConfig {
  readonly config: MirrorConfig;
  /** What was moved to a value that makes sense, as sentences for the log. */
  readonly warnings: readonly string[];
}

/** Throws `config_invalid`, naming every setting that cannot be used. */
export function validateRuntimeConfig(entrypoint: Entrypoint, mode: Mode | undefined, env: Environment): RuntimeConfig {
  const { config, warnings, problems } = readConfig(env);
  const all = [...problems];
  if (config.replaySkipNetwork && !OFFLINE.includes(entrypoint)) {
    all.push(`BAILIIKC_REPLAY_SKIP_NETWORK is for replays: a ${mode ?? entrypoint} run would fetch nothing`);
  }
  if (all.length === 0) return { config, warnings };
  throw new CurlewError(ErrorCode.configInvalid, `The settings cannot be used: ${all.join('; ')}.`, {
    remedy: 'curlew mirror config lists every setting with its default.',
  });
}
