// The transitions of a case in one run, as words: `in_progress → failed (ajax_500), attempt 1`.

import { z } from 'zod';
import type { StoredMirrorEvent } from '../../ledger/mirror/mirror-event.ts';

const Transition = z.object({
  phase: z.literal('download_state'),
  from_status: z.string(),
  to_status: z.string(),
  attempt: z.int(),
  error_code: z.string().optional(),
});

export function transitionsOf(events: readonly StoredMirrorEvent[], run: number): string[] {
  return events.flatMap(({ runId, fields }) => {
    const parsed = Transition.safeParse(fields);
    if (runId !== run || !parsed.success) return [];
    const { from_status: from, to_status: to, attempt, error_code: code } = parsed.data;
    return [`${from} → ${to}${code === undefined ? '' : ` (${code})`}, attempt ${attempt}`];
  });
}
