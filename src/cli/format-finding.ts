// A finding of a check, as a person reads it: what and where, what is wrong with it, and what to do.

import { segmentName } from '../archive/segment-name.ts';
import type { Finding } from '../engine/verify/finding.ts';
import { printable } from './format.ts';

export function formatFinding(finding: Finding): string {
  const { kind, problem, remedy } = finding;
  return `${kind}  ${printable(placeOf(finding))}\n    ${printable(problem)}.\n    ${printable(remedy)}\n`;
}

function placeOf(finding: Finding): string {
  switch (finding.kind) {
    case 'ledger_damaged':
    case 'file_orphaned':
      return finding.path;
    case 'foreign_key':
    case 'reference_broken':
      return `${finding.table} ${finding.row ?? ''}`;
    case 'count_wrong':
      return `run ${finding.run}, ${finding.host}`;
    case 'segment_missing':
    case 'segment_unreadable':
    case 'segment_short':
    case 'segment_long':
    case 'segment_unknown':
      return finding.path;
    case 'bytes_unknown':
    case 'record_orphaned':
    case 'record_damaged':
      return `${finding.path} at byte ${finding.offset}`;
    case 'member_unreadable':
    case 'digest_mismatch':
    case 'record_not_what_row_says':
    case 'body_reference_broken':
    case 'request_mismatch':
    case 'bytes_shared':
    case 'answer_replaced':
      return `${finding.url}${ofRun(finding.run)}, archive/${segmentName(finding.segment)} at byte ${finding.offset}`;
    case 'file_missing':
    case 'file_unreadable':
    case 'file_size':
    case 'file_damaged':
      return `${finding.path}${ofRun(finding.run)}`;
  }
}

function ofRun(run: number | undefined): string {
  return run === undefined ? '' : `, run ${run}`;
}
