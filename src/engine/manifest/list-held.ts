// What a manifest of a data directory lists: every segment and every downloaded file that the ledger knows, those of mirrors
// too. What a running run writes to is left out, and so is what is not as long as the ledger says. What else lies there is named.

import { join } from 'node:path';
import { listFiles } from '../../archive/list-files.ts';
import { segmentName, segmentNumber } from '../../archive/segment-name.ts';
import type { FixityLedger, HeldSegment } from '../../ledger/fixity/fixity-ledger.ts';
import { judgeSegment, measureSegment } from '../verify/verify-segments.ts';

export type Held =
  /** `of`: what a file belongs to; the hash of a segment is not known to the ledger. */
  | { readonly kind: 'segment'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly sha256: string; readonly size: number | undefined }
  | { readonly kind: 'left_out'; readonly path: string; readonly why: string }
  | { readonly kind: 'damaged'; readonly path: string; readonly why: string }
  /** It lies there, and the ledger does not know it. */
  | { readonly kind: 'unknown'; readonly path: string };

const AT_ONCE = 500;

export async function* listHeld(data: string, ledger: FixityLedger): AsyncGenerator<Held> {
  for (const segment of paged((after) => ledger.segmentsAfter(after, undefined, AT_ONCE), 'segment')) {
    if (segment.end > 0) yield await judge(data, ledger, segment);
  }
  const lost = ledger.lostFiles().map((path) => `files/${path}`);
  // The same content has one path, however often it was downloaded.
  const listed = new Set<string>();
  for (const { filePath, bodySha256, bodySize } of paged((after) => ledger.downloadsAfter(after, undefined, AT_ONCE))) {
    const path = `files/${filePath}`;
    if (listed.has(path)) continue;
    listed.add(path);
    const sha256 = Buffer.from(bodySha256).toString('hex');
    yield { kind: 'file', path, sha256, size: bodySize };
  }
  for (const { path, sha256, size } of paged((after) => ledger.caseFilesAfter(after, undefined, AT_ONCE))) {
    listed.add(`pdfs/${path}`);
    yield { kind: 'file', path: `pdfs/${path}`, sha256, size };
  }
  for (const { path, sha256, size } of paged((after) => ledger.indexFilesAfter(after, AT_ONCE))) {
    listed.add(path);
    yield { kind: 'file', path, sha256, size };
  }
  yield* unknownFiles(data, ledger, new Set([...listed, ...lost]));
}

/** `known`: paths of files; segments are known by their number. */
async function* unknownFiles(data: string, ledger: FixityLedger, known: ReadonlySet<string>): AsyncGenerator<Held> {
  for (const directory of ['archive', 'files', 'pdfs', 'csv']) {
    for await (const name of listFiles(join(data, directory))) {
      const path = `${directory}/${name}`;
      const segment = directory === 'archive' ? segmentNumber(name) : undefined;
      if (known.has(path) || (segment !== undefined && ledger.hasSegment(segment))) continue;
      yield { kind: 'unknown', path };
    }
  }
}

async function judge(data: string, ledger: FixityLedger, held: HeldSegment): Promise<Held> {
  const { segment, run, end } = held;
  const path = `archive/${segmentName(segment)}`;
  const atWork = ledger.segmentAtWork(run);
  if (atWork !== undefined && segment >= atWork) return { kind: 'left_out', path, why: `run ${run} writes to it now` };
  const size = await measureSegment(data, segmentName(segment));
  const finding = judgeSegment(held, size);
  if (finding !== undefined) return { kind: 'damaged', path, why: finding.problem };
  if (size === end) return { kind: 'segment', path };
  return { kind: 'left_out', path, why: `a crash of run ${run} left a tail in it, which curlew resume ${run} cuts` };
}

function* paged<Row extends { readonly id: number } | { readonly segment: number }>(
  pageAfter: (after: number) => readonly Row[],
  key: 'id' | 'segment' = 'id',
): Generator<Row> {
  for (let after = 0; ; ) {
    const page = pageAfter(after);
    yield* page;
    after = Number((page.at(-1) as Readonly<Record<string, unknown>> | undefined)?.[key] ?? after);
    if (page.length < AT_ONCE) return;
  }
}
