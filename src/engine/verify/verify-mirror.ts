// The files of a mirror: every version of every case's file, every version of an index, and files that no row knows.

import { join } from 'node:path';
import { checkFile } from '../../archive/check-file.ts';
import { listFiles } from '../../archive/list-files.ts';
import type { MirrorFile } from '../../ledger/fixity/fixity-ledger.ts';
import type { MirrorDirectory } from '../../mirror/mirror-directory.ts';
import { fileFinding } from './file-finding.ts';
import type { Finding } from './finding.ts';
import type { VerifyContext } from './verify-data.ts';

const AT_ONCE = 500;

export async function* verifyMirrorFiles(context: VerifyContext, directory: MirrorDirectory): AsyncGenerator<Finding> {
  const { ledger, run } = context;
  yield* verifyEach(context, 'pdfs/', directory, (after) => ledger.caseFilesAfter(after, run, AT_ONCE));
  if (run !== undefined) return;
  yield* verifyEach(context, '', directory, (after) => ledger.indexFilesAfter(after, AT_ONCE));
}

async function* verifyEach(
  { checked, takes }: VerifyContext,
  under: string,
  { path: data }: MirrorDirectory,
  filesAfter: (after: number) => MirrorFile[],
): AsyncGenerator<Finding> {
  for (let after = 0; ; ) {
    const page = filesAfter(after);
    for (const { path: name, sha256, size, run, of } of page) {
      if (!takes()) continue;
      const path = `${under}${name}`;
      const state = await checkFile(join(data, path), { sha256, size });
      checked.mirrorFiles.checked++;
      const finding = fileFinding(state, { path, run, of, exchange: undefined });
      if (finding !== undefined) yield finding;
    }
    after = page.at(-1)?.id ?? after;
    if (page.length < AT_ONCE) return;
  }
}

/** A run that is under way gives files their names before it tells the ledger: then nothing is said. */
export async function* verifyMirrorOrphans(
  { ledger }: VerifyContext,
  directory: MirrorDirectory,
): AsyncGenerator<Finding> {
  if (ledger.isMirroring()) return;
  for await (const name of listFiles(directory.pdfs)) {
    if (ledger.hasCaseFile(name)) continue;
    yield {
      kind: 'file_orphaned',
      path: `pdfs/${name}`,
      problem: `pdfs/${name} is not known to the ledger`,
      remedy: 'A run that was killed leaves such a file, and the next one takes it over. Otherwise move it away.',
    };
  }
}
