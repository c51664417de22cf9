// Every segment is there, and as long as the ledger says. What lies behind that end is the tail of a crash, which the next
// resume cuts, or being written now: it is damage only where the run is complete.

import { join } from 'node:path';
import { stateAfter } from '../../archive/check-file.ts';
import { segmentName, segmentNumber } from '../../archive/segment-name.ts';
import type { HeldSegment } from '../../ledger/fixity/fixity-ledger.ts';
import type { RunId } from '../../ledger/run.ts';
import { systemFiles } from '../../platform/files.ts';
import type { Finding } from './finding.ts';
import type { VerifyContext } from './verify-data.ts';

/** How far the records of a segment have been looked at. */
interface SegmentCover {
  readonly run: RunId;
  /** The end that the ledger says, or that of the file where this is shorter. */
  readonly end: number;
  /** Everything before is a record that a row refers to, or was looked at. */
  covered: number;
}

/** By number. As many as there are segments, of up to 512 MiB each. */
export type SegmentCovers = Map<number, SegmentCover>;

const AT_ONCE = 500;

export async function* verifySegments(context: VerifyContext): AsyncGenerator<Finding, SegmentCovers> {
  const { ledger, run, checked, path } = context;
  const covers: SegmentCovers = new Map();
  for (let after = 0; ; ) {
    const page = ledger.segmentsAfter(after, run, AT_ONCE);
    checked.segments.total += page.length;
    for (const segment of page) {
      const size = await measureSegment(path, segmentName(segment.segment));
      const finding = judgeSegment(segment, size);
      if (finding !== undefined) yield finding;
      const end = typeof size === 'number' ? Math.min(segment.end, size) : 0;
      covers.set(segment.segment, { run: segment.run, end, covered: 0 });
      checked.segments.checked++;
    }
    after = page.at(-1)?.segment ?? after;
    if (page.length < AT_ONCE) break;
  }
  if (run === undefined) yield* unknownSegments(context);
  return covers;
}

/** The length of a segment in bytes. */
export type SegmentSize = number | 'missing' | 'unreadable';

/** Opens it, too: what may not be read has a length all the same. */
export async function measureSegment(data: string, name: string): Promise<SegmentSize> {
  const path = join(data, 'archive', name);
  try {
    await (await systemFiles.open(path, 'read')).close();
    return (await systemFiles.sizeOf(path)) ?? 'missing';
  } catch (error) {
    return stateAfter(error) === 'missing' ? 'missing' : 'unreadable';
  }
}

export function unreadableSegment(segment: number, run: RunId | undefined): Finding {
  const path = `archive/${segmentName(segment)}`;
  return {
    kind: 'segment_unreadable',
    segment,
    path,
    run,
    problem: `${path} is not a file that can be read: a directory, a pipe or a broken link lies there, or this user may not read it`,
    remedy: 'Make it readable for this user, or move away what lies there; then check again.',
  };
}

/** What is wrong with a segment whose file has that length, or is not there. */
export function judgeSegment({ segment, run, end, isComplete }: HeldSegment, size: SegmentSize): Finding | undefined {
  if (size === 'unreadable') return unreadableSegment(segment, run);
  const path = `archive/${segmentName(segment)}`;
  const place = { segment, path, run };
  const remedy = `Restore ${path} from a backup, or fetch the pages in it again.`;
  if (size === 'missing') {
    if (end === 0) return undefined;
    return {
      kind: 'segment_missing',
      ...place,
      problem: `${path} is missing: it held ${end} bytes of run ${run}`,
      remedy,
    };
  }
  if (size < end) {
    const problem = `${path} has ${size} bytes, the ledger refers to ${end}: ${end - size} bytes are missing`;
    return { kind: 'segment_short', ...place, problem, remedy };
  }
  if (size === end || !isComplete) return undefined;
  return {
    kind: 'segment_long',
    ...place,
    problem: `${path} has ${size - end} bytes behind its end that no row of the ledger refers to`,
    remedy: `Nothing refers to them. Cut the file to ${end} bytes, after a look at what they are.`,
  };
}

/** Files that look like segments, and that no row knows. One that is set aside has another name. */
async function* unknownSegments({ path, ledger }: VerifyContext): AsyncGenerator<Finding> {
  for (const { segment, name } of await listSegments(path)) {
    if (ledger.hasSegment(segment)) continue;
    yield {
      kind: 'segment_unknown',
      segment,
      path: `archive/${name}`,
      run: undefined,
      problem: `archive/${name} is not known to the ledger`,
      remedy:
        'It may belong to another ledger. Look at it with a WARC tool, and move it away if it does not belong here.',
    };
  }
}

/** The segments that lie in the archive, in the order of their numbers. */
export async function listSegments(path: string): Promise<{ readonly segment: number; readonly name: string }[]> {
  try {
    const names = await systemFiles.list(join(path, 'archive'));
    return names
      .flatMap((name) => {
        const segment = segmentNumber(name);
        return segment === undefined ? [] : [{ segment, name }];
      })
      .sort((one, other) => one.segment - other.segment);
  } catch (error) {
    if (stateAfter(error) === 'missing') return [];
    throw error;
  }
}
