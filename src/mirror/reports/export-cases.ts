// What is held, for the next pipeline: a line for each case, in the order in which they changed, so that whoever keeps the
// cursor of the last line gets exactly the rest. A case that changes later comes again, under the same id.

import type { CaseFacts } from '../../ledger/mirror/case-facts.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import { readJson } from '../../ledger/stored-json.ts';
import type { Json } from '../../platform/json.ts';

export interface ExportedCase {
  /** Stable: `<source>/<token>`. */
  readonly id: string;
  /** Go on after this one with `since`. */
  readonly cursor: number;
  readonly source: string;
  readonly action_token: string;
  readonly action_token_norm: string;
  readonly title: string | null;
  readonly cause_number: string | null;
  readonly neutral_citation: string | null;
  readonly court: string | null;
  readonly category: string | null;
  readonly subject: string | null;
  readonly judgment_date: string | null;
  /** Columns of the index that have no key here. */
  readonly other: Json;
  /** False when the case is gone from the index; its file is kept. */
  readonly is_active: boolean;
  /** True when the index calls it criminal by now; its file is kept, and not fetched again. */
  readonly is_criminal: boolean;
  /** Why the case should not be used any more; null when it may be. */
  readonly withdrawn: 'criminal' | 'gone_from_index' | null;
  /** From 1; grows when the court replaces the file. The earlier versions are kept beside it. */
  readonly file_version: number;
  /** Under the data directory. */
  readonly file_path: string;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly downloaded_at: string;
}

const PAGE = 500;

/** Every case with a file that changed after `since`; 0 for all. */
export async function* exportCases(
  ledger: MirrorLedger,
  { since = 0, source }: { readonly since?: number; readonly source?: string } = {},
): AsyncGenerator<ExportedCase> {
  for (let after = since; ; ) {
    const page = await ledger.heldAfter(after, source, PAGE);
    for (const facts of page) {
      const line = exported(facts);
      if (line !== undefined) yield line;
      after = facts.revision;
    }
    if (page.length < PAGE) return;
  }
}

/** Lines for `sha256sum --check`, to be run in the data directory, sorted by path: of every version. */
export async function* manifestLines(ledger: MirrorLedger, source?: string): AsyncGenerator<string> {
  const files = await ledger.files(source);
  files.sort((one, other) => (one.filePath < other.filePath ? -1 : 1));
  for (const { sha256, filePath } of files) yield `${sha256}  pdfs/${filePath}\n`;
}

function exported({
  case: known,
  held,
  revision,
}: CaseFacts & { readonly revision: number }): ExportedCase | undefined {
  if (held === undefined) return undefined;
  return {
    id: `${known.source}/${known.actionTokenNorm}`,
    cursor: revision,
    source: known.source,
    action_token: known.actionTokenRaw,
    action_token_norm: known.actionTokenNorm,
    title: known.title,
    cause_number: known.causeNumber,
    neutral_citation: known.neutralCitation,
    court: known.court,
    category: known.category,
    subject: known.subject,
    judgment_date: known.judgmentDate,
    other: known.otherJson === null ? {} : readJson(known.otherJson),
    is_active: known.isActive,
    is_criminal: known.isCriminal,
    withdrawn: known.isCriminal ? 'criminal' : known.isActive ? null : 'gone_from_index',
    file_version: held.version,
    file_path: `pdfs/${held.filePath}`,
    size_bytes: held.sizeBytes,
    sha256: held.sha256,
    downloaded_at: held.downloadedAt,
  };
}
