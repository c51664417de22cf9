// One exchange: both of its records are read, and must be what their digests and the row of the ledger say. Whether the body
// that a repetition refers to is there is left to whoever knows the other exchanges.

import type { ArchiveReader } from '../../archive/archive-reader.ts';
import { parseRequest, parseResponse } from '../../archive/archived-message.ts';
import { checkRecord } from '../../archive/check-record.ts';
import type { Location } from '../../archive/exchange.ts';
import { oneLine } from '../../archive/http-head.ts';
import { segmentName } from '../../archive/segment-name.ts';
import type { WarcRecord } from '../../archive/warc-record.ts';
import type { StoredExchange } from '../../ledger/exchange-table.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { locationOf } from '../read-exchange.ts';

/** What is wrong with a record of an exchange. */
export interface RecordFault {
  readonly kind: 'member_unreadable' | 'digest_mismatch' | 'record_not_what_row_says';
  readonly which: 'request' | 'response';
  readonly at: Location;
  readonly problem: string;
}

/** More than the headers of a record and of a message can have. */
const MOST_HEAD_BYTES = 4 * 2 ** 20;
/** More than the body of a request can have. */
const MOST_REQUEST_BYTES = 64 * 2 ** 20;

/** Throws when a file cannot be read for another reason than damage, such as too many open files. */
export async function checkExchange(reader: ArchiveReader, exchange: StoredExchange): Promise<RecordFault[]> {
  return [await checkRequest(reader, exchange), await checkResponse(reader, exchange)].filter(
    (fault) => fault !== undefined,
  );
}

async function checkRequest(reader: ArchiveReader, exchange: StoredExchange): Promise<RecordFault | undefined> {
  const at = requestLocationOf(exchange);
  return checkMember(reader, 'request', at, MOST_HEAD_BYTES + MOST_REQUEST_BYTES, (record) => {
    const request = parseRequest(record);
    return request === undefined ? 'is not a request' : differenceIn(request, exchange);
  });
}

/** The response alone: it is what holds a body. */
export async function checkResponse(reader: ArchiveReader, exchange: StoredExchange): Promise<RecordFault | undefined> {
  return checkMember(reader, 'response', locationOf(exchange), MOST_HEAD_BYTES + exchange.bodySize, (record) => {
    const response = parseResponse(record);
    if (response === undefined) return 'is not a response';
    const kind =
      exchange.revisitOf !== undefined ? 'revisit' : exchange.filePath !== undefined ? 'headers_only' : 'whole';
    if (response.kind !== kind) {
      return `is of the kind ${response.kind}, and the ledger says ${kind}`;
    }
    if (response.status !== exchange.status)
      return `has the status ${response.status}, the ledger says ${exchange.status}`;
    const sha256 = response.kind === 'headers_only' ? response.file.sha256 : response.bodySha256;
    if (sha256 !== Buffer.from(exchange.bodySha256).toString('hex')) return 'has a body with another hash';
    const size =
      response.kind === 'headers_only'
        ? response.file.size
        : response.kind === 'whole'
          ? response.body.length
          : undefined;
    if (size !== undefined && size !== exchange.bodySize) {
      return `has a body of ${size} bytes, the ledger says ${exchange.bodySize}`;
    }
    return differenceIn(response, exchange);
  });
}

/** Where the request of an exchange lies. */
export function requestLocationOf({ segment, requestOffset, requestLength }: StoredExchange): Location {
  return { segment, offset: requestOffset, length: requestLength };
}

async function checkMember(
  reader: ArchiveReader,
  which: RecordFault['which'],
  at: Location,
  mostBytes: number,
  difference: (record: WarcRecord) => string | undefined,
): Promise<RecordFault | undefined> {
  const place = `The ${which} at byte ${at.offset} of archive/${segmentName(at.segment)}`;
  let member: Buffer;
  try {
    member = await reader.readMember(at);
  } catch (error) {
    if (!(error instanceof CurlewError) || error.code !== ErrorCode.archiveDamaged) throw error;
    return { kind: 'member_unreadable', which, at, problem: error.message };
  }
  const checked = await checkRecord(member, mostBytes);
  if (checked.kind !== 'sound') {
    const kind = checked.kind === 'digest' ? 'digest_mismatch' : 'member_unreadable';
    return { kind, which, at, problem: `${place} ${checked.problem}` };
  }
  const different = difference(checked.record);
  if (different === undefined) return undefined;
  return { kind: 'record_not_what_row_says', which, at, problem: `${place} ${different}` };
}

function differenceIn(
  { targetUri, at }: { readonly targetUri: string; readonly at: number },
  exchange: StoredExchange,
): string | undefined {
  if (targetUri !== oneLine(exchange.url).trim()) return `is of ${targetUri}, the ledger says ${exchange.url}`;
  return at === exchange.at ? undefined : 'has another date than the ledger says';
}
