// Every error that is meant for a person is a CurlewError: what happened, to what, and what to do next.
// Codes are stable; docs/error-codes.md lists them.

/** The closed list of error codes. Add here, and document in docs/error-codes.md. */
export const ErrorCode = {
  usage: 'usage',
  scraperFile: 'scraper_file',
  scraperDefinition: 'scraper_definition',
  unknownEntry: 'unknown_entry',
  invalidParameter: 'invalid_parameter',
  invalidRequest: 'invalid_request',
  structure: 'structure',
  selectorSyntax: 'selector_syntax',
  invalidJson: 'invalid_json',
  stepFailed: 'step_failed',
  endlessWalk: 'endless_walk',
  stepTimeout: 'step_timeout',
  stepMemory: 'step_memory',
  dataDirectory: 'data_directory',
  diskFull: 'disk_full',
  ledgerNewer: 'ledger_newer',
  ledgerCorrupt: 'ledger_corrupt',
  runNotFound: 'run_not_found',
  runOwned: 'run_owned',
  ownershipLost: 'ownership_lost',
  archiveDamaged: 'archive_damaged',
  notInArchive: 'not_in_archive',
  addressRefused: 'address_refused',
  networkClosed: 'network_closed',
  outOfSockets: 'out_of_sockets',
  siteFile: 'site_file',
  startPage: 'start_page',
  noPartialRun: 'no_partial_run',
  emptyPagination: 'empty_pagination',
  incompletePagination: 'incomplete_pagination',
  nodeVersion: 'node_version',
  serviceMissing: 'service_missing',
  serviceUnavailable: 'service_unavailable',
  configInvalid: 'config_invalid',
  unknownSource: 'unknown_source',
  noIndex: 'no_index',
  versionNotFound: 'csv_version_not_found',
  caseNotFound: 'case_not_found',
  internal: 'internal',
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** What to do when a process or the machine has too many files open; undefined for any other code of the system. */
export function adviceOnOpenFiles(code: unknown): string | undefined {
  if (code !== 'EMFILE' && code !== 'ENFILE') return undefined;
  return 'Raise the limit of open files (ulimit -n), or end other programs that have many open, and try again.';
}

/** What an error knows beside its code and message. */
export interface CurlewErrorOptions {
  /** What the reader can do about it, as a sentence. */
  readonly remedy?: string;
  /** The message without what differs from page to page, so that alike failures are counted together. */
  readonly summary?: string;
  readonly cause?: unknown;
}

/** Base of all errors that Curlew raises on purpose. `message` says what happened and to what. */
export class CurlewError extends Error {
  override readonly name: string = 'CurlewError';
  readonly code: ErrorCode;
  readonly remedy: string | undefined;
  /** The message without what differs from page to page; undefined when the message is the same for all. */
  readonly summary: string | undefined;

  constructor(code: ErrorCode, message: string, options: CurlewErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.remedy = options.remedy;
    this.summary = options.summary;
  }
}

/** Ends a switch over a closed union: a new member is a compile error here. */
export function assertNever(value: never): never {
  throw new CurlewError(ErrorCode.internal, `Unexpected value: ${JSON.stringify(value)}`);
}

/** The message of anything that was thrown, also of what cannot be told: an author's step may throw whatever it likes. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'something that cannot be told';
  }
}

/** The `code` that Node puts on its system errors (`ENOENT`, `ENOSPC`, …), if there is one. */
export function systemCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
