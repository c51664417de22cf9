// Why a case is not held: the closed list of reasons, with the names they had elsewhere and what a run does about each.
// docs/error-codes.md shows this table; a test compares the two.

/** What becomes of the case within the same run. `once`: it is tried once more for this reason, if an attempt is left. */
export type RetryRule = 'yes' | 'once' | 'never';

export interface MirrorErrorEntry {
  readonly aliases: readonly string[];
  readonly retry: RetryRule;
  /** `skipped` codes are reasons not to try, and no failures. */
  readonly kind: 'failed' | 'skipped';
  readonly meaning: string;
  /** What a person or the next run can do. */
  readonly next: string;
}

const NEXT_RUN = 'resume: curlew mirror run --mode resume tries it again';
const NOTHING = 'nothing to do';

export const MIRROR_ERRORS = {
  network_timeout: failed('yes', 'no answer in time', NEXT_RUN),
  network_error: failed('yes', 'the connection could not be made or broke', NEXT_RUN),
  ajax_500: failed('yes', 'the court site failed when asked for the address', NEXT_RUN),
  http_5xx: failed('yes', 'the file server failed', NEXT_RUN),
  download_other: failed('yes', 'the download failed in a way that has no name', NEXT_RUN),
  box_rate_limit: failed('yes', 'the file server asked to wait', NEXT_RUN),
  ajax_rate_limit: failed('yes', 'the court site asked to wait', NEXT_RUN),
  ajax_403: failed('once', 'the court site refused, with a new nonce too', NEXT_RUN),
  ajax_parse_error: failed('once', 'the court site answered with something else than an address', NEXT_RUN),
  invalid_box_url: failed(
    'once',
    'the court site gave an address that cannot be used',
    NEXT_RUN,
    'download_url_missing',
  ),
  malformed_pdf: failed('once', 'what came is not a whole PDF', NEXT_RUN),
  signed_url_expired: failed('yes', 'the address was too old; a retry asks for a new one', NEXT_RUN),
  http_401_unauthorised: failed('never', 'the file server wants a login, with a new address too', NEXT_RUN),
  http_403_forbidden: failed('never', 'the file server refused, with a new address too', NEXT_RUN),
  http_404_not_found: failed(
    'never',
    'the file server does not have the file',
    'ask the court: the file is missing at its server',
  ),
  http_4xx: failed('never', 'the file server rejected the request', NEXT_RUN),
  site_structure_changed: failed(
    'never',
    'the page of the court is not built as expected',
    'update Curlew, or report the change',
    'selenium_element_not_found',
  ),
  click_timeout: failed('never', 'the browser could not press the button in time', NEXT_RUN),
  browser_launch_failed: failed(
    'never',
    'Chromium could not be started; the client is restarted before',
    'install Chromium or use the HTTP client, then resume',
    'selenium_launch_failed',
  ),
  disk_full: failed('never', 'no space left; the run stops', 'make room, then resume', 'disk_insufficient'),
  internal_error: failed('once', 'a mistake in Curlew', 'report it, then resume', 'unknown'),
  csv_miss: skipped('the index has no such case', 'sync the index', 'csv_case_not_found'),
  invalid_token: skipped('the token has no letter or digit', 'ask the court: its index is wrong there'),
  worklist_filtered: skipped('it is not on the worklist of the run', NOTHING),
  seen_history: skipped('an earlier run dealt with it', NOTHING),
  already_downloaded: skipped('its file is held already', NOTHING),
  in_run_dup: skipped('the same case came up twice in the run', NOTHING),
  exists_ok: skipped('a whole file is in its place already', NOTHING),
} as const satisfies Readonly<Record<string, MirrorErrorEntry>>;

export type MirrorErrorCode = keyof typeof MIRROR_ERRORS;

export const MIRROR_ERROR_CODES = Object.keys(MIRROR_ERRORS) as MirrorErrorCode[];

type CodeOfKind<Kind> = {
  [Code in MirrorErrorCode]: (typeof MIRROR_ERRORS)[Code]['kind'] extends Kind ? Code : never;
}[MirrorErrorCode];

export type FailureCode = CodeOfKind<'failed'>;
export type SkipReason = CodeOfKind<'skipped'>;

const BY_NAME: ReadonlyMap<string, MirrorErrorCode> = new Map(
  MIRROR_ERROR_CODES.flatMap((code) => [code, ...aliasesOf(code)].map((name) => [name, code] as const)),
);

/** The code of that name or alias; undefined when there is none. */
export function errorCodeNamed(name: string): MirrorErrorCode | undefined {
  return BY_NAME.get(name);
}

/** The other names of a code. */
export function aliasesOf(code: MirrorErrorCode): readonly string[] {
  return MIRROR_ERRORS[code].aliases;
}

function failed(retry: RetryRule, meaning: string, next: string, ...aliases: string[]) {
  return { kind: 'failed', retry, meaning, next, aliases } as const;
}

function skipped(meaning: string, next: string, ...aliases: string[]) {
  return { kind: 'skipped', retry: 'never', meaning, next, aliases } as const;
}
