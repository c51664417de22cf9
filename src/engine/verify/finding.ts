// What a check of a data directory can find. Each finding names what is damaged, how, and what to do about it.

import type { ExchangeId, RequestId } from '../../ledger/page-result.ts';
import type { RunId } from '../../ledger/run.ts';

/** For a person. */
interface Told {
  /** What is wrong, as a sentence. */
  readonly problem: string;
  /** What to do about it, as a sentence. */
  readonly remedy: string;
}

/** Something about one exchange: a page that was fetched, or the answer that a download came with. */
export interface ExchangePlace {
  readonly url: string;
  /** Undefined when the row of its request is gone. */
  readonly run: RunId | undefined;
  readonly request: RequestId;
  readonly exchange: ExchangeId;
  readonly segment: number;
  /** Where the record begins in its segment, and how long it is, in bytes. */
  readonly offset: number;
  readonly length: number;
}

/** A stretch of a segment. */
interface SegmentPlace {
  readonly segment: number;
  /** Relative to the data directory. */
  readonly path: string;
  /** Undefined when the ledger does not know the segment. */
  readonly run: RunId | undefined;
}

/** A file that was downloaded. */
interface FilePlace {
  /** Relative to the data directory. */
  readonly path: string;
  readonly run: RunId | undefined;
  /** What it is the file of: an address, or source and token of a mirror's case. */
  readonly of: string;
  /** The exchange that it came with; a mirror's files have none. */
  readonly exchange: ExchangeId | undefined;
}

export type Finding = Told &
  (
    | { readonly kind: 'ledger_damaged'; readonly path: string }
    | { readonly kind: 'foreign_key'; readonly table: string; readonly row: number | undefined }
    | {
        readonly kind: 'reference_broken';
        readonly table: string;
        readonly row: string;
        readonly run: RunId | undefined;
      }
    /** `isLess`: there is less than the count says, so that rows may be lost. */
    | {
        readonly kind: 'count_wrong';
        readonly run: RunId;
        readonly host: string;
        readonly what: string;
        readonly isLess: boolean;
      }
    | ({
        readonly kind: 'segment_missing' | 'segment_unreadable' | 'segment_short' | 'segment_long' | 'segment_unknown';
      } & SegmentPlace)
    /** Bytes that no row refers to: no record, or a record whose row is gone. */
    | ({ readonly kind: 'bytes_unknown'; readonly offset: number; readonly length: number } & SegmentPlace)
    | ({
        readonly kind: 'record_orphaned' | 'record_damaged';
        readonly url: string | undefined;
        readonly offset: number;
        readonly length: number;
      } & SegmentPlace)
    /** `request_mismatch`: its request did not lead to it. `bytes_shared`: an earlier row has the same bytes. `answer_replaced`:
     * it was damaged, and the site sent a different answer when it was fetched again. */
    | ({ readonly kind: 'request_mismatch' | 'bytes_shared' | 'answer_replaced' } & ExchangePlace)
    | ({
        readonly kind: 'member_unreadable' | 'digest_mismatch' | 'record_not_what_row_says' | 'body_reference_broken';
      } & ExchangePlace)
    | ({ readonly kind: 'file_missing' | 'file_unreadable' | 'file_size' | 'file_damaged' } & FilePlace)
    /** A file of a mirror that no row knows. */
    | { readonly kind: 'file_orphaned'; readonly path: string }
  );
