// Where answers come from: the web through the fetch pipeline, or the archive. The engine does not know which.

import type { Unsaved } from '../fetch/fetch-memory.ts';
import type { HostWait } from '../fetch/host-wait.ts';
import type { Outcome } from '../fetch/outcome.ts';
import type { Patience } from '../fetch/patience.ts';
import type { ClaimedRequest } from '../ledger/page-result.ts';

export interface AnswerSource {
  /** Resolves with what became of the request; rejects only with the reason of an aborted signal, or on a full disk. */
  answer(request: ClaimedRequest, patience: Patience): Promise<Outcome>;
  /** What changed since the last call and should outlive the process: it is saved with the pages that changed it. */
  takeUnsaved(): Unsaved | undefined;
  /** `onUnsaved` is told when there is some, again and again: no page may come for long. */
  watch(onUnsaved: () => void): void;
  /** What is waited for now. */
  waits(): readonly HostWait[];
  close(): Promise<void>;
}
