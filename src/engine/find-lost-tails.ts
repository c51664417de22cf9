// After a power cut the ledger may know pages whose bytes never came to the device: the system writes files in any order unless
// it is told to sync them. Each segment is known to be on the device up to some byte; what was committed behind it is read back
// when the run is taken again. From the first record that is not as it was written the rest of the segment counts as lost.

import { join } from 'node:path';
import { ArchiveReader } from '../archive/archive-reader.ts';
import type { StoredExchange } from '../ledger/exchange-table.ts';
import type { RunId } from '../ledger/run.ts';
import type { LostTail } from '../ledger/take-back-lost.ts';
import { CurlewError, ErrorCode, systemCodeOf } from '../platform/errors.ts';
import type { DataDirectory } from './data-directory.ts';
import { locationOf } from './read-exchange.ts';

/** Nobody may be writing to the run's segments. */
export async function findLostTails(data: DataDirectory, run: RunId): Promise<LostTail[]> {
  const reader = new ArchiveReader(data.archive, data.disk);
  const lost: LostTail[] = [];
  try {
    for (const { segment, syncedEnd, ...unsynced } of await data.ledger.unsyncedSegments()) {
      if (unsynced.run !== run) continue;
      const exchanges = await data.ledger.exchangesBeyond(segment, syncedEnd);
      for (const [index, exchange] of exchanges.entries()) {
        const start = index === 0 ? syncedEnd : exchange.requestOffset;
        const reason = await whyLost(data, reader, exchange, start);
        if (reason === undefined) continue;
        // A page goes with the redirects that led to it.
        const first = exchanges.findIndex(({ requestId }) => requestId === exchange.requestId);
        const end = first === 0 ? syncedEnd : (exchanges[first]?.requestOffset ?? start);
        lost.push({ segment, end, exchanges: exchanges.slice(first), reason });
        break;
      }
    }
    return lost;
  } finally {
    await reader.close();
  }
}

function unreadable(cause: CurlewError): CurlewError {
  return new CurlewError(ErrorCode.dataDirectory, cause.message, {
    remedy: 'Check that the data directory can be read and that its disk is healthy, then resume the run.',
    cause,
  });
}

/** Undefined when all of the exchange is there, with what stands before it from `start` on, and the file of a download. */
async function whyLost(
  { ledger, files, disk }: DataDirectory,
  reader: ArchiveReader,
  exchange: StoredExchange,
  start: number,
): Promise<string | undefined> {
  const { segment, requestOffset: offset, requestLength: length, revisitOf, filePath, bodySha256, bodySize } = exchange;
  try {
    // The first record of a segment belongs to no exchange.
    if (start < offset) await reader.check({ segment, offset: start, length: offset - start });
    await reader.readRequest({ segment, offset, length });
    const original = revisitOf === undefined ? undefined : await ledger.exchange(revisitOf);
    const response = await reader.readResponse(locationOf(exchange), original && locationOf(original));
    const sha256 = response.kind === 'whole' ? response.bodySha256 : response.file.sha256;
    if (sha256 !== Buffer.from(bodySha256).toString('hex')) return 'it holds something else';
    if (filePath === undefined || (await disk.sizeOf(join(files, filePath))) === bodySize) return undefined;
    return `${filePath} is not there, or not whole`;
  } catch (error) {
    if (!(error instanceof CurlewError) || error.code !== ErrorCode.archiveDamaged) throw error;
    // What cannot be read now may be there: nothing is cut for that.
    const code = systemCodeOf(error.cause);
    if (code !== undefined && /^E(?!RR_|NOENT$)/.test(code)) throw unreadable(error);
    return error.message;
  }
}
