// A request as it stands in its table.

import type { ClaimedRequest, HostId, RequestId } from './page-result.ts';
import { decodeRequest } from './request-codec.ts';

export const State = { ready: 0, claimed: 1, delayed: 2, settled: 3, setAside: 4 } as const;

/** A request that so many processes died over is set aside. */
export const MOST_DEATHS = 2;

/** What is read of one that is handed out. */
export const CLAIMED_COLUMNS = 'id, identity, attempts, method, url, step, priority, depth, extra, deaths';

export type ReadyRow = readonly [
  id: RequestId,
  identity: Uint8Array,
  attempts: number,
  method: string,
  url: string,
  step: string | null,
  priority: number,
  depth: number,
  extra: string | null,
  deaths: number,
];
export type RowWithHost = readonly [...ReadyRow, host: HostId];

export function readRequest(row: ReadyRow | RowWithHost, hostId: HostId): ClaimedRequest {
  const [id, identity, attempts, method, url, step, priority, depth, extra, deaths] = row;
  const spec = decodeRequest({ method, url, step, priority, depth, extra });
  return { id, hostId, identity, attempts, spec, isSuspect: deaths >= MOST_DEATHS };
}
