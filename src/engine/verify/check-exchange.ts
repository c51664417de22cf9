// One exchange: both of its records are read, and must be what their digests and the row of the ledger say. Whether the body
// that a repetition refers to is there, and whether its request led to it, is left to whoever knows the other rows.

import type { ArchiveReader } from '../../archive/archive-reader.ts';
import {
  type ArchivedHead,
  type ArchivedRequest,
  parseRequest,
  parseResponse,
} from '../../archive/archived-message.ts';
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

/** A record that is sound, or what is wrong with it. */
export type CheckedMessage<Message> =
  | { readonly fault: undefined; readonly message: Message }
  | { readonly fault: RecordFault; readonly message: undefined };

export interface CheckedExchange {
  readonly faults: readonly RecordFault[];
  /** Undefined when it is damaged. */
  readonly request: ArchivedRequest | undefined;
  readonly response: ArchivedHead | undefined;
}

export async function checkExchange(reader: ArchiveReader, exchange: StoredExchange): Promise<CheckedExchange> {
  const request = await checkRequest(reader, exchange);
  const response = await checkResponse(reader, exchange);
  const faults = [request.fault, response.fault].filter((fault) => fault !== undefined);
  return { faults, request: request.message, response: response.message };
}

async function checkRequest(reader: ArchiveReader, exchange: StoredExchange): Promise<CheckedMessage<ArchivedRequest>> {
  const at = requestLocationOf(exchange);
  const parse = (record: WarcRecord) => parseRequest(record) ?? 'is not a request';
  return checkMember(reader, 'request', at, MOST_HEAD_BYTES + MOST_REQUEST_BYTES, parse, (request) =>
    differenceIn(request, exchange),
  );
}

/** The response alone: it is what holds a body. */
export async function checkResponse(
  reader: ArchiveReader,
  exchange: StoredExchange,
): Promise<CheckedMessage<ArchivedHead>> {
  const most = MOST_HEAD_BYTES + exchange.bodySize;
  const parse = (record: WarcRecord) => parseResponse(record) ?? 'is not a response';
  return checkMember(reader, 'response', locationOf(exchange), most, parse, (response) => {
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

/** `parse` and `difference` give what is wrong, as the end of a sentence about the record. */
async function checkMember<Message extends object>(
  reader: ArchiveReader,
  which: RecordFault['which'],
  at: Location,
  mostBytes: number,
  parse: (record: WarcRecord) => Message | string,
  difference: (message: Message) => string | undefined,
): Promise<CheckedMessage<Message>> {
  const fault = (kind: RecordFault['kind'], problem: string) => ({
    fault: { kind, which, at, problem },
    message: undefined,
  });
  const place = `The ${which} at byte ${at.offset} of archive/${segmentName(at.segment)}`;
  let member: Buffer;
  try {
    member = await reader.readMember(at);
  } catch (error) {
    if (!(error instanceof CurlewError) || error.code !== ErrorCode.archiveDamaged) throw error;
    return fault('member_unreadable', error.message);
  }
  const checked = await checkRecord(member, mostBytes);
  if (checked.kind !== 'sound') {
    const kind = checked.kind === 'digest' ? 'digest_mismatch' : 'member_unreadable';
    return fault(kind, `${place} ${checked.problem}`);
  }
  const message = parse(checked.record);
  const different = typeof message === 'string' ? message : difference(message);
  if (typeof message === 'string' || different !== undefined) {
    return fault('record_not_what_row_says', `${place} ${different}`);
  }
  return { fault: undefined, message };
}

function differenceIn(
  { targetUri, at }: { readonly targetUri: string; readonly at: number },
  exchange: StoredExchange,
): string | undefined {
  if (targetUri !== oneLine(exchange.url).trim()) return `is of ${targetUri}, the ledger says ${exchange.url}`;
  return at === exchange.at ? undefined : 'has another date than the ledger says';
}
