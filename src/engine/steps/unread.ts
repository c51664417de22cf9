// An answer that waits to be read.

import type { Reading, ReadingJob } from './reading.ts';

export interface Unread {
  readonly job: ReadingJob;
  /** host:port it came from. */
  readonly host: string;
  /** Whether processes have died over it before. */
  readonly suspect: boolean;
  done(reading: Reading): void;
}

/** How much there is to read. */
export function sizeOf(job: ReadingJob): number {
  if (job.kind === 'miss' || job.response.body.kind === 'file') return 0;
  return job.response.body.decoded.length;
}
