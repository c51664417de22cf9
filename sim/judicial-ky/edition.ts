// What the site shows of one version of the corpus, made once: the index as a file, the rows of the page, the cases.

import type { Corpus, CorpusVersion } from './corpus.ts';
import { indexCsv } from './index-row.ts';
import type { JudgmentCase } from './judgment-case.ts';
import { registerRows } from './register-page.ts';

export interface Edition {
  readonly csv: string;
  readonly csvLastModified: number;
  /** Rows of the page's table as HTML. */
  readonly rows: string;
  readonly cases: readonly JudgmentCase[];
  readonly tokens: ReadonlySet<string>;
}

const LAST_MODIFIED: Readonly<Record<CorpusVersion, number>> = {
  v1: Date.UTC(2025, 10, 1, 6),
  v2: Date.UTC(2025, 10, 8, 6),
  v3: Date.UTC(2025, 10, 15, 6),
};

/** A function that gives the edition of a version. */
export function editionsOf(corpus: Corpus): (version: CorpusVersion) => Edition {
  const made = new Map<CorpusVersion, Edition>();
  return (version) => {
    const edition = made.get(version) ?? makeEdition(corpus, version);
    made.set(version, edition);
    return edition;
  };
}

function makeEdition(corpus: Corpus, version: CorpusVersion): Edition {
  const rows = corpus.rows(version);
  const cases = corpus.active(version);
  return {
    csv: indexCsv(rows),
    csvLastModified: LAST_MODIFIED[version],
    rows: registerRows(rows, (token) => corpus.find(token)),
    cases,
    tokens: new Set(cases.map(({ token }) => token)),
  };
}
