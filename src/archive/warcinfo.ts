// The record at the head of every WARC file that says who wrote it (ISO 28500 §6.2).

import type { Instant } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { storedMember } from './gzip-member.ts';
import { lineText } from './http-head.ts';
import type { Member } from './member.ts';
import { formatRecord, recordId, warcDate } from './warc-record.ts';

/** Who writes, and when. */
export interface WarcinfoStamp {
  /** Name and version, such as `curlew/0.1.0`. */
  readonly software: string;
  readonly at: Instant;
}

/** A gzip member with the `warcinfo` record of the file called `fileName`, if it has a name. */
export function encodeWarcinfo(fileName: string | undefined, stamp: WarcinfoStamp, random: Random): Member {
  const block =
    `software: ${lineText(stamp.software)}\r\n` +
    'format: WARC File Format 1.1\r\n' +
    'conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n';
  const fields = [
    ['WARC-Type', 'warcinfo'],
    ['WARC-Record-ID', recordId(random.uuid())],
    ['WARC-Date', warcDate(stamp.at)],
    ['WARC-Filename', fileName],
    ['Content-Type', 'application/warc-fields'],
  ] as const;
  return storedMember([formatRecord(fields, block)]);
}
