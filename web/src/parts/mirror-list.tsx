// How much of each mirrored source is held, and how current the index is that says so.

import type { IndexState, MirrorCoverage } from '../../../src/server/contract/index-state.ts';
import { countOf, formatAge, formatCount, formatShare } from '../lib/format.ts';
import { indexPath, queryOf } from '../lib/route.ts';
import { Badge } from './badge.tsx';
import type { Column } from './column.ts';
import { DataTable } from './data-table.tsx';
import { Link } from './link.tsx';
import { When } from './when.tsx';

interface Mirror {
  readonly source: string;
  readonly coverage: MirrorCoverage | undefined;
  readonly index: IndexState | undefined;
}

const COLUMNS: readonly Column<Mirror>[] = [
  {
    label: 'Mirror',
    cell: ({ source, coverage }) => <Link to={`/report${queryOf({ source })}`}>{coverage?.title ?? source}</Link>,
  },
  { label: 'Held', cell: ({ coverage }) => coverage !== undefined && <HeldBar coverage={coverage} /> },
  {
    label: 'Cases',
    align: 'end',
    cell: ({ coverage }) =>
      coverage === undefined
        ? '–'
        : `${formatCount(coverage.cases_held)} of ${formatCount(coverage.cases_wanted)} wanted`,
  },
  {
    label: 'Index',
    cell: ({ source, index }) => (index === undefined ? 'none yet' : <IndexMark source={source} index={index} />),
  },
];

interface MirrorListProps {
  readonly mirrors: readonly MirrorCoverage[];
  readonly indexes: readonly IndexState[];
}

export function MirrorList({ mirrors, indexes }: MirrorListProps) {
  const sources = [...new Set([...mirrors, ...indexes].map(({ source }) => source))];
  const rows = sources.map((source) => ({
    source,
    coverage: mirrors.find((one) => one.source === source),
    index: indexes.find((one) => one.source === source),
  }));
  return <DataTable label="Mirrored sources" columns={COLUMNS} rows={rows} rowKey={({ source }) => source} />;
}

function HeldBar({ coverage: { cases_held: held, cases_wanted: wanted } }: { readonly coverage: MirrorCoverage }) {
  return (
    <span class="coverage">
      <span class="bar" role="img" aria-label={`${formatCount(held)} held, ${formatCount(wanted - held)} not held`}>
        {held > 0 && <span class="bar-part v-done" style={{ flexGrow: held }} />}
        {(wanted > held || wanted === 0) && <span class="bar-rest" style={{ flexGrow: wanted - held || 1 }} />}
      </span>
      <span class="coverage-share">{formatShare(held, wanted)}</span>
    </span>
  );
}

/** Which version is in use, how old it is, and what is wrong with it. */
export function IndexMark({ source, index }: { readonly source: string; readonly index: IndexState }) {
  const { state, csv_version_id: version, age_seconds: age, confirmed_at, checked_at, problem } = index;
  const { row_count, unreadable_rows: unreadable, rows_without_file: without } = index;
  return (
    <>
      <span class="badges">
        <Badge tone={STATE_TONES[state]}>{STATE_WORDS[state]}</Badge>
        {version !== null && <Link to={indexPath(version, source)}>version {version}</Link>}
      </span>{' '}
      {confirmed_at !== null && age !== null && (
        <span class="faint">
          confirmed by the site {formatAge(age)} ago, <When at={confirmed_at} />
        </span>
      )}
      {problem !== null && (
        <p class="is-bad">
          What came at <When at={checked_at} /> could not be used: {problem.reason}
        </p>
      )}
      {unreadable !== null && (
        <p class="is-bad">
          {formatCount(unreadable.count)} of {formatCount(row_count)} rows cannot be read, for example line{' '}
          {unreadable.line}: {unreadable.reason}. Cases that stand only there are not known.
        </p>
      )}
      {without !== null && (
        <p class="faint">
          {countOf(without.count, 'case')} announced without a file, for example in line {without.line}.
        </p>
      )}
    </>
  );
}

const STATE_TONES = { none: 'bad', confirmed: 'good', not_confirmed: 'bad' } as const;
const STATE_WORDS = { none: 'no index', confirmed: 'confirmed', not_confirmed: 'not confirmed' } as const;
