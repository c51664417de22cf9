// A run whose archive lost bytes: segments that are shorter than the ledger says, or gone. Nothing is fetched for such a run
// unless the loss is accepted.

import { join } from 'node:path';
import { segmentName } from '../archive/segment-name.ts';
import type { ShortSegment } from '../ledger/exchange-table.ts';
import type { RequestId } from '../ledger/page-result.ts';
import type { RunId } from '../ledger/run.ts';
import type { RunWriter } from '../ledger/run-writer.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import type { DataDirectory } from './data-directory.ts';

/** Of affected pages, so many are named. */
const MOST_NAMED = 3;

/**
 * Throws `archive_damaged`, naming the pages, when the run lost bytes. With `refetchLost` they are marked as lost instead,
 * and their requests are in the queue again; so are those that repeat lost bytes of other runs.
 */
export async function handleLostBytes(
  data: DataDirectory,
  writer: Pick<RunWriter, 'acceptLoss'>,
  run: RunId,
  refetchLost: boolean,
): Promise<void> {
  if (refetchLost) {
    await writer.acceptLoss(await shortSegments(data, await data.ledger.segments()));
    return;
  }
  const [first, ...others] = await shortSegments(data, await data.ledger.segmentsOf(run));
  if (first !== undefined) throw await lossOf(data, run, [first, ...others]);
}

/** Those of the segments whose files are shorter than they should be. Throws `data_directory` when one cannot be read. */
export async function shortSegments(
  data: DataDirectory,
  segments: readonly Pick<ShortSegment, 'segment' | 'end'>[],
): Promise<ShortSegment[]> {
  const short: ShortSegment[] = [];
  for (const { segment, end } of segments) {
    const size = end === 0 ? 0 : await sizeOf(data, segment);
    if (size < end) short.push({ segment, end, size });
  }
  return short;
}

async function sizeOf({ archive, disk }: DataDirectory, segment: number): Promise<number> {
  const path = join(archive, segmentName(segment));
  try {
    return (await disk.sizeOf(path)) ?? 0;
  } catch (cause) {
    throw new CurlewError(ErrorCode.dataDirectory, `A segment of the archive cannot be read: ${messageOf(cause)}`, {
      remedy: `Make ${path} readable, or move away what lies there, then try again.`,
      cause,
    });
  }
}

async function lossOf(
  { archive, ledger }: DataDirectory,
  run: RunId,
  short: readonly [ShortSegment, ...ShortSegment[]],
): Promise<CurlewError> {
  const [{ segment, end, size }, ...others] = short;
  const affected = new Set<RequestId>();
  const addresses: string[] = [];
  for await (const { requestId, url } of ledger.cutOff(run, short)) {
    if (!affected.has(requestId) && addresses.length < MOST_NAMED) addresses.push(url);
    affected.add(requestId);
  }
  const more = affected.size - addresses.length;
  const named = `${addresses.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const path = join(archive, segmentName(segment));
  const where = others.length === 0 ? '' : `, and ${others.length} other segment(s) lack bytes too`;
  return new CurlewError(
    ErrorCode.archiveDamaged,
    `${path} has ${size} bytes, but the ledger refers to ${end}: ${end - size} bytes are missing${where}. ` +
      `${affected.size} page(s) of run ${run} are affected: ${named}`,
    {
      remedy:
        `Restore the file from a backup; the ledger and the archive belong together. If there is none, fetch the pages ` +
        `again with curlew resume ${run} --refetch-lost.`,
    },
  );
}
