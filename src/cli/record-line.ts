// A record as `records` and `export --format jsonl` print it. The order of the keys is part of the contract.

import type { StoredRecord } from '../ledger/record-table.ts';
import { jsonLine } from './json-line.ts';

/** `errors` is there for invalid records only. */
export function recordLine({ kind, data, url, step, valid, errors }: StoredRecord): string {
  return jsonLine({ kind, data, url, step, valid, errors });
}
