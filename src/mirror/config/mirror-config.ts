// Every setting of the mirror that comes from the environment, in one table. `curlew mirror config` shows this table.

import {
  address,
  clamped,
  count,
  fileHosts,
  flag,
  milliseconds,
  pause,
  secret,
  timeout,
  type Variable,
} from './variable.ts';

export const VARIABLES = {
  baseUrl: address(['BAILIIKC_UJ_BASE_URL'], 'https://judicial.ky/', 'site of the court'),
  csvUrl: address(
    ['BAILIIKC_UJ_CSV_URL'],
    undefined,
    'address of the index; by default the one on the site of the court',
  ),
  fileHosts: fileHosts(
    ['BAILIIKC_UJ_FILE_HOSTS'],
    '*.box.com, *.boxcloud.com',
    'servers that files may come from, over https unless an entry begins with http://',
  ),
  navTimeoutMs: timeout(
    ['BAILIIKC_NAV_TIMEOUT_SECONDS', 'PLAYWRIGHT_NAV_TIMEOUT_SECONDS'],
    25,
    'longest time for loading a page, in seconds',
  ),
  selectorTimeoutMs: timeout(
    ['BAILIIKC_SELECTOR_TIMEOUT_SECONDS', 'PLAYWRIGHT_SELECTOR_TIMEOUT_SECONDS'],
    20,
    'longest wait for a part of a page, in seconds',
  ),
  downloadTimeoutMs: timeout(
    ['BAILIIKC_DOWNLOAD_TIMEOUT_SECONDS', 'PLAYWRIGHT_DOWNLOAD_TIMEOUT_SECONDS'],
    120,
    'longest time for one file, in seconds',
  ),
  clickTimeoutMs: milliseconds(['PLAYWRIGHT_CLICK_TIMEOUT_MS'], 10_000, 'longest wait for a button, in milliseconds'),
  postClickSleepMs: pause(['PLAYWRIGHT_POST_CLICK_SLEEP_SECONDS'], 0.5, 'pause after a click, in seconds'),
  retryPageSettleMs: pause(
    ['PLAYWRIGHT_RETRY_PAGE_SETTLE_SECONDS'],
    2,
    'pause after a page is loaded again for retries, in seconds',
  ),
  retryAfterSweepMs: pause(
    ['PLAYWRIGHT_RETRY_AFTER_SWEEP_SECONDS'],
    2,
    'pause before the retries of a run, in seconds',
  ),
  maxParallelDownloads: clamped(['BAILIIKC_MAX_PARALLEL_DOWNLOADS'], 1, 1, 'files fetched at once'),
  maxPendingDownloads: clamped(
    ['BAILIIKC_MAX_PENDING_DOWNLOADS'],
    100,
    1,
    'files that may wait for their turn; beyond that the next is fetched at once, inline',
  ),
  enableDownloadExecutor: flag(
    ['BAILIIKC_ENABLE_DOWNLOAD_EXECUTOR'],
    true,
    'fetch files beside each other; when off, one after the other',
  ),
  minFreeMb: count(['BAILIIKC_MIN_FREE_MB', 'MIN_FREE_MB'], 400, 0, 'free space below which no file is begun, in MB'),
  quarantineMb: count(
    ['BAILIIKC_QUARANTINE_MB'],
    100,
    0,
    'most bytes kept of what came and is no PDF, in MB; the oldest go first',
  ),
  newLimit: count(
    ['BAILIIKC_SCRAPE_NEW_LIMIT', 'SCRAPE_NEW_LIMIT'],
    50,
    1,
    'most cases of a run that a webhook starts',
  ),
  webhookNewLimitMax: count(
    ['BAILIIKC_WEBHOOK_NEW_LIMIT_MAX', 'WEBHOOK_NEW_LIMIT_MAX'],
    50,
    1,
    'most cases that a webhook may ask for',
  ),
  webhookSharedSecret: secret(
    ['BAILIIKC_WEBHOOK_SHARED_SECRET'],
    'secret of the webhook; without it the webhook is off',
  ),
  staleAfterMs: timeout(
    ['BAILIIKC_STALE_AFTER_SECONDS'],
    3_600,
    'age at which an attempt that never ended is taken up again, in seconds',
  ),
  recordReplayFixtures: flag(
    ['BAILIIKC_RECORD_REPLAY_FIXTURES'],
    false,
    'record the answers of the court site for replays',
  ),
  replaySkipNetwork: flag(
    ['BAILIIKC_REPLAY_SKIP_NETWORK', 'REPLAY_SKIP_NETWORK'],
    false,
    'fetch nothing; for replays only',
  ),
} as const satisfies Readonly<Record<string, Variable<string | number | boolean | undefined>>>;

export type MirrorConfig = {
  readonly [Key in keyof typeof VARIABLES]: (typeof VARIABLES)[Key] extends Variable<infer T> ? T : never;
};

/** Switches of an earlier design, when there were other stores than the ledger. Setting them changes nothing. */
export const RETIRED_VARIABLES = [
  'BAILIIKC_USE_DB_CASES',
  'BAILIIKC_USE_DB_REPORTING',
  'BAILIIKC_USE_DB_WORKLIST_FOR_NEW',
  'BAILIIKC_USE_DB_WORKLIST_FOR_FULL',
  'BAILIIKC_USE_DB_WORKLIST_FOR_RESUME',
] as const;

/** Environment variables by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadConfig {
  readonly config: MirrorConfig;
  /** Sentences about values that were moved, or switches that do nothing. */
  readonly warnings: readonly string[];
  /** Sentences about values that cannot be used; where there are any, `config` holds the default. */
  readonly problems: readonly string[];
}

export function readConfig(env: Environment): ReadConfig {
  const warnings: string[] = [];
  const problems: string[] = [];
  const values = Object.entries(VARIABLES).map(([key, variable]) => {
    const name = nameInForce(variable, env);
    if (name === undefined) return [key, variable.fallback];
    const reading = variable.read(env[name] ?? '');
    const shown = variable.secret ? '' : ` (it is ${JSON.stringify(env[name])})`;
    if (reading.kind === 'value') return [key, reading.value];
    if (reading.kind === 'invalid') {
      problems.push(`${name} ${reading.why}${shown}`);
      return [key, variable.fallback];
    }
    warnings.push(`${name} ${reading.why}${shown}; ${reading.value} is used`);
    return [key, reading.value];
  });
  for (const name of RETIRED_VARIABLES) {
    if (env[name] !== undefined) warnings.push(`${name} has no effect: the ledger is the only truth`);
  }
  return { config: Object.fromEntries(values) as MirrorConfig, warnings, problems };
}

export interface ConfigRow {
  /** The name to set. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly default: string;
  /** What is in force; a secret is `***`. */
  readonly value: string;
  readonly isSet: boolean;
  readonly meaning: string;
}

/** All settings with their defaults and what is in force, for `curlew mirror config`. */
export function listConfig(env: Environment): ConfigRow[] {
  return Object.values(VARIABLES).map((variable: Variable<string | number | boolean | undefined>) => {
    const { names, defaultText, meaning, secret: hidden } = variable;
    const [name, ...aliases] = names;
    const inForce = nameInForce(variable, env);
    const text = inForce === undefined ? defaultText : (env[inForce] ?? '');
    const value = hidden && text !== '' ? '***' : text;
    return { name, aliases, default: defaultText, value, isSet: inForce !== undefined, meaning };
  });
}

/** The name under which the variable is set; undefined when it is not. */
function nameInForce({ names }: Pick<Variable<unknown>, 'names'>, env: Environment): string | undefined {
  return names.find((name) => env[name] !== undefined);
}
