// Brings the cases of a source up to its index: fetch if it changed, keep the bytes, judge them, and only then change
// cases, with their history, in one transaction. A version that is refused changes nothing.

import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { FetchPipeline } from '../../fetch/fetch-pipeline.ts';
import type { Patience } from '../../fetch/patience.ts';
import { isoTime } from '../../ledger/iso-time.ts';
import type { CsvVersion, NewCsvVersion, OddRows, VersionId } from '../../ledger/mirror/csv-version.ts';
import { sayUnreadableRows } from '../../ledger/mirror/index-use.ts';
import type { MirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import type { MirrorLedger, StoredVersion } from '../../ledger/mirror/mirror-ledger.ts';
import type { RunId } from '../../ledger/run.ts';
import type { Clock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import type { Files } from '../../platform/files.ts';
import type { MirrorConfig } from '../config/mirror-config.ts';
import type { Emit } from '../events/event-sink.ts';
import type { ScraperLog } from '../events/scraper-log.ts';
import type { MirrorDirectory } from '../mirror-directory.ts';
import type { Source } from '../sources/source.ts';
import type { CsvSyncResult } from './csv-sync-result.ts';
import { type FetchedIndex, fetchIndex } from './fetch-index.ts';
import { judgeIndex } from './judge-index.ts';
import { indexFileName, keepIndexFile } from './keep-index-file.ts';
import { type ReadIndex, readIndex, type UnreadableRow } from './read-index.ts';

export interface SyncContext {
  readonly source: Source;
  readonly config: MirrorConfig;
  readonly ledger: MirrorLedger;
  readonly directory: MirrorDirectory;
  /** Default: the real disk. */
  readonly files?: Files | undefined;
  readonly pipeline: Pick<FetchPipeline, 'fetch'>;
  readonly clock: Clock;
  readonly emit: Emit;
  /** For what the ledger is told together with a version. */
  readonly log: ScraperLog;
  /** The run that needs the index, if there is one. */
  readonly run?: RunId | undefined;
  readonly patience: Patience;
  /** Take over an index in which more than 20 % of the active cases are gone. Default false. */
  readonly acceptShrink?: boolean;
}

/** Throws `no_index` when the index cannot be used and there is no earlier version of it. */
export async function syncCsv(context: SyncContext): Promise<CsvSyncResult> {
  const { source, config, ledger, emit } = context;
  const url = source.indexUrl(config);
  await emit({ label: 'PLAN', fields: { phase: 'csv_sync', step: 'start', source: source.id, url } });
  const current = await ledger.lastGoodVersion(source.id);
  const fetched = await fetchIndex({ ...context, url, current });
  const taken = await take(context, url, current, fetched);
  const version = await ledger.version(taken.versionId);
  const result = { ...taken, unreadableRows: version && sayUnreadableRows(version) };
  await emit({
    label: 'PLAN',
    fields: {
      phase: 'csv_sync',
      step: 'end',
      source: source.id,
      csv_version_id: result.versionId,
      is_new_version: result.isNewVersion,
      new_cases: result.newCaseIds.length,
      changed_cases: result.changedCaseIds.length,
      removed_cases: result.removedCaseIds.length,
      returned_cases: result.returnedCaseIds.length,
      unreadable_rows: version?.unreadableRows?.count,
    },
  });
  return result;
}

type Taken = Omit<CsvSyncResult, 'unreadableRows'>;

async function take(
  context: SyncContext,
  url: string,
  current: CsvVersion | undefined,
  fetched: FetchedIndex,
): Promise<Taken> {
  const { source, clock, ledger } = context;
  const version: NewCsvVersion = {
    source: source.id,
    fetchedAt: isoTime(clock.now()),
    sourceUrl: url,
    etag: null,
    lastModified: null,
    sha256: '',
    rowCount: 0,
    unreadableRows: null,
    rowsWithoutFile: null,
    filePath: '',
  };
  if (fetched.kind === 'failed') {
    const reason = `it could not be fetched: ${fetched.reason}`;
    return refuse(context, current, await ledger.storeVersion(version, () => ({ kind: 'refused', reason })));
  }
  if (fetched.kind === 'unchanged') {
    if (current !== undefined) return unchanged(context, current, version);
    const reason = 'the server says that it has not changed, and there is no earlier one';
    return refuse(context, current, await ledger.storeVersion(version, () => ({ kind: 'refused', reason })));
  }
  return takeBytes(context, current, version, fetched);
}

async function takeBytes(
  context: SyncContext,
  current: CsvVersion | undefined,
  version: NewCsvVersion,
  { bytes, contentType, etag, lastModified }: FetchedIndex & { readonly kind: 'fetched' },
): Promise<Taken> {
  const { source, ledger, directory, log, run, acceptShrink = false } = context;
  const sha256 = hash('sha256', bytes);
  if (current?.sha256 === sha256) return unchanged(context, current, version);
  const filePath = await keep(context, version, sha256, bytes);
  const index = readIndex(bytes, contentType, source.columns);
  const { rowCount = 0, duplicates = [], unreadable = [] } = index.kind === 'read' ? index : {};
  const unreadableRows = summarise(unreadable.filter(({ reason }) => reason !== 'no token'));
  const rowsWithoutFile = summarise(unreadable.filter(({ reason }) => reason === 'no token'));
  const stored = await ledger.storeVersion(
    { ...version, etag, lastModified, sha256, rowCount, unreadableRows, rowsWithoutFile, filePath },
    (known) =>
      index.kind === 'read' ? judgeIndex(index, known, acceptShrink) : { kind: 'refused', reason: index.reason },
    { run, tell: (id) => (index.kind === 'read' ? findingsOf(index, id) : []) },
  );
  if (stored.kind === 'refused') return refuse(context, current, stored);
  for (const event of stored.told) log.write(event, run);
  return {
    versionId: stored.id,
    isNewVersion: true,
    ...stored.changed,
    csvPath: join(directory.path, filePath),
    refused: undefined,
    duplicates,
    unreadable,
  };
}

function summarise(rows: readonly UnreadableRow[]): OddRows | null {
  const [first] = rows;
  return first === undefined ? null : { count: rows.length, ...first };
}

/** What is odd in an index. Told with its version: once that is stored, nobody reads these bytes again. */
function findingsOf({ duplicates, unreadable, unreadDates }: ReadIndex, id: VersionId): MirrorEvent[] {
  const found = { phase: 'csv_sync', csv_version_id: id };
  const odd = [
    ...duplicates.map(({ tokenNorm, ...where }) => ({ decision: 'duplicate_token', token_norm: tokenNorm, ...where })),
    ...unreadable.map((row) => ({ decision: 'unreadable_row', ...row })),
    ...unreadDates.map((date) => ({ decision: 'unread_date', ...date })),
  ];
  return odd.map((fields) => ({ label: 'DECISION', fields: { ...found, ...fields } }));
}

/** Where the bytes are, under the data directory. Bytes that were refused the last time are there already. */
async function keep(
  { source, ledger, directory, files }: SyncContext,
  { fetchedAt }: NewCsvVersion,
  sha256: string,
  bytes: Uint8Array,
): Promise<string> {
  const [latest] = await ledger.versions(source.id, 1);
  if (latest?.sha256 === sha256) return latest.filePath;
  const name = indexFileName(source.id, fetchedAt, sha256);
  await keepIndexFile(directory.csv, name, bytes, files);
  return `csv/${name}`;
}

const NOTHING = {
  isNewVersion: false,
  newCaseIds: [],
  changedCaseIds: [],
  removedCaseIds: [],
  returnedCaseIds: [],
  duplicates: [],
  unreadable: [],
} as const;

/** The site confirmed the version in use. */
async function unchanged(
  { ledger, directory }: SyncContext,
  current: CsvVersion,
  { fetchedAt }: NewCsvVersion,
): Promise<Taken> {
  await ledger.confirmVersion(current, fetchedAt);
  return { ...going(directory, current), refused: undefined };
}

/** No news: the version in use stays. */
function going({ path }: MirrorDirectory, { id, filePath }: CsvVersion): Omit<Taken, 'refused'> {
  return { ...NOTHING, versionId: id, csvPath: join(path, filePath) };
}

/** Goes on with the last good version, and says so. */
async function refuse(
  { source, emit, directory }: SyncContext,
  current: CsvVersion | undefined,
  stored: StoredVersion,
): Promise<Taken> {
  const reason = stored.kind === 'refused' ? stored.reason : '';
  await emit({
    label: 'ERROR',
    fields: {
      phase: 'csv_sync',
      source: source.id,
      csv_version_id: stored.id,
      reason,
      using_version_id: current?.id,
    },
  });
  if (current !== undefined) return { ...going(directory, current), refused: { versionId: stored.id, reason } };
  throw new CurlewError(ErrorCode.noIndex, `The index of ${source.id} cannot be used: ${reason}.`, {
    remedy:
      'There is no earlier version to go by. Look at the address of the index (curlew mirror config) and try again.',
  });
}
