// What can become true of a run beside its pages and records, and what it means: the kinds of its events, as they stand in the
// ledger, in its log and in the API. docs/runs.md has the same list.

import type { FetchEvent } from '../fetch/fetch-memory.ts';
import type { Verdict } from '../ledger/verdict.ts';

/** Of a single request, told with its URL. */
export type PageEvent = 'retry' | 'step_failed' | 'set_aside' | Exclude<Verdict, 'done' | 'absent'>;

/** Of a process that works on the run: in its log only. */
export type ProcessEvent = 'started' | 'ended';

/** Of the run's archive. */
export type ArchiveEvent = 'archive_lost' | 'damaged' | 'repaired' | 'loss_accepted' | 'requeued';

export const RUN_EVENTS: Readonly<Record<FetchEvent['kind'] | PageEvent | ProcessEvent | ArchiveEvent, string>> = {
  started: 'a process works on the run',
  archive_lost: 'pages were not in the archive any more after a power cut, and are fetched again',
  damaged: 'the scrubber found a page or file that is not what was stored',
  repaired: 'a page or download was damaged, and fetched again or given up',
  loss_accepted: 'somebody accepted that a page or a row is lost',
  requeued: 'it is asked for again: somebody wants it, or its page is lost',
  limits: 'what it may ask of a host, and by which name',
  robots: 'a robots.txt came into force, fetched now or earlier, with its text',
  robots_unreachable: 'one could not be had, and what counts instead',
  retry_after: 'a host asked for time',
  breaker: 'a host is down, or back',
  waiting: 'what is waited for, why, and until when if that is known',
  given_up: 'a host was not reached in time, and is not asked any more in this run',
  unanswered: 'a request got no usable answer, or was given up',
  answered: 'one whose exchange is not archived: of a mirror, or of a list that was walked',
  page_request: 'what a page in the browser asked for besides its document',
  robots_request: "Curlew's own request for a robots.txt",
  probe_request: "Curlew's own request to see whether a host is back",
  retry: 'a page is asked for again, when and why',
  set_aside: 'processes died twice while they had this request in hand: it is made last, and alone',
  step_failed: 'a step threw, took too long or too much memory, or a page did not fit',
  skipped: 'a page was left out on purpose: robots.txt, say',
  failed: 'it cannot be had or read',
  blocked: 'it was refused',
  unknown: 'it was not answered in all attempts',
  ended: 'the summary, or the error that ended the process',
};
