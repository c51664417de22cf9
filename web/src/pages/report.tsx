// The mirror at a glance: how much of the source is held, why the rest is not, its latest run, and the cases that are held.

import type { CaseListRow } from '../../../src/server/contract/mirror.ts';
import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { countOf, formatBytes, formatCount, formatDate, formatShare } from '../lib/format.ts';
import { groupMissing } from '../lib/group-missing.ts';
import { useQuery } from '../lib/navigation.ts';
import { queryOf } from '../lib/route.ts';
import { useKeyset } from '../lib/use-keyset.ts';
import { useResource } from '../lib/use-resource.ts';
import { Badge, HealthBadge } from '../parts/badge.tsx';
import { FileLink } from '../parts/file-link.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, Loaded } from '../parts/loaded.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { When } from '../parts/when.tsx';
import { casePath } from './cases.tsx';

type Coverage = AnswerOf<'coverage'>;

const COLUMNS: readonly Column<CaseListRow>[] = [
  { label: 'Title', sort: 'title', cell: (row) => <Link to={casePath(row)}>{row.title ?? row.token}</Link> },
  { label: 'Judgment', keep: true, sort: 'judgmentDate', cell: (row) => formatDate(row.judgmentDate ?? '') },
  { label: 'Cause', sort: 'causeNumber', cell: (row) => row.causeNumber ?? '' },
  { label: 'Court', sort: 'court', cell: (row) => row.court ?? '' },
  { label: 'Category', cell: (row) => row.category ?? '' },
  { label: 'Downloaded', sort: 'downloadedAt', cell: (row) => <When at={row.downloadedAt} /> },
  {
    label: 'Size',
    sort: 'sizeBytes',
    align: 'end',
    cell: (row) => (row.sizeBytes === null ? '' : formatBytes(row.sizeBytes)),
  },
  { label: 'File', keep: true, cell: (row) => <FileLink row={row} /> },
];

export function Report() {
  const [query, change] = useQuery();
  const source = query.get('source') ?? '';
  const search = query.get('search') ?? '';
  const sort = query.get('sort') ?? 'judgmentDate';
  const order = query.get('order') === 'asc' ? 'asc' : 'desc';
  const coverage = useResource<'coverage'>(`/api/coverage${queryOf({ source })}`);
  const runs = useResource<'dbRuns'>(`/api/db/runs${queryOf({ source, limit: 10 })}`);
  const keyset = useKeyset<CaseListRow>(`/api/cases${queryOf({ source, state: 'held', search, sort, order })}`);
  return (
    <Page title="Report" lede={coverage.data === undefined ? undefined : `The mirror of ${coverage.data.source}`}>
      <Loaded what="the coverage" resource={coverage}>
        {(data) =>
          data.cases_active + data.cases_inactive === 0 ? (
            <Empty title="Nothing is mirrored yet">
              <p>
                <Link to="/start" class="button primary">
                  Start a run of the mirror
                </Link>
              </p>
            </Empty>
          ) : (
            <>
              <Held coverage={data} />
              <Panel title="Latest runs" id="latest-runs">
                <Loaded what="the runs" resource={runs}>
                  {(answer) => <MirrorRuns runs={answer.runs} />}
                </Loaded>
              </Panel>
              <Missing coverage={data} />
              <Panel title="Cases that are held" id="held">
                <div class="filters" role="search">
                  <SearchBox
                    label="Search"
                    placeholder="title, cause number, court or token"
                    value={search}
                    search={(text) => change({ search: text })}
                  />
                </div>
                <VirtualTable
                  label="Cases that are held"
                  noun="case"
                  layout="grid-report"
                  keyset={keyset}
                  columns={COLUMNS}
                  sorting={{ by: sort, order, change: (by, next) => change({ sort: by, order: next }) }}
                  rowKey={({ id }) => id}
                  empty={<Empty title={search === '' ? 'No case is held yet' : 'No case fits'} />}
                />
              </Panel>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Held({ coverage }: { readonly coverage: Coverage }) {
  const { cases_held: held, cases_wanted: wanted } = coverage;
  return (
    <Panel title="Coverage" id="coverage">
      <p class="progress-line">
        <b class="progress-share">{formatShare(held, wanted)}</b> held: {formatCount(held)} of {countOf(wanted, 'case')}{' '}
        that are wanted
      </p>
      <span class="bar" role="img" aria-label={`${formatCount(held)} held, ${formatCount(wanted - held)} not held`}>
        {held > 0 && <span class="bar-part v-done" style={{ flexGrow: held }} />}
        {wanted > held && <span class="bar-rest" style={{ flexGrow: wanted - held }} />}
      </span>
      <dl class="facts">
        <div>
          <dt>In the index</dt>
          <dd>{formatCount(coverage.cases_active)}</dd>
        </div>
        <div>
          <dt>Criminal, not wanted</dt>
          <dd>{formatCount(coverage.cases_criminal)}</dd>
        </div>
        <div>
          <dt>Gone from the index</dt>
          <dd>{formatCount(coverage.cases_inactive)}</dd>
        </div>
        <div>
          <dt>Not held</dt>
          <dd class={wanted > held ? 'is-bad' : undefined}>{formatCount(wanted - held)}</dd>
        </div>
      </dl>
    </Panel>
  );
}

function MirrorRuns({ runs }: { readonly runs: AnswerOf<'dbRuns'>['runs'] }) {
  if (runs.length === 0) return <Empty title="No run yet" />;
  return (
    <table class="cards">
      <caption class="hidden">Latest runs of the mirror</caption>
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">State</th>
          <th scope="col">Started</th>
          <th scope="col">Ended</th>
          <th scope="col" class="is-end">
            Planned
          </th>
          <th scope="col" class="is-end">
            Downloaded
          </th>
          <th scope="col" class="is-end">
            Failed
          </th>
          <th scope="col" class="is-end">
            Skipped
          </th>
          <th scope="col" class="is-end">
            Coverage
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id}>
            <th scope="row">
              <Link to={`/runs/${run.id}`}>#{run.id}</Link>{' '}
              <span class="faint">
                {run.mode}, by {run.trigger}
              </span>
            </th>
            <td data-label="State">
              <span class="badges">
                <Badge tone="calm">{run.status}</Badge>
                <HealthBadge health={run.run_health} />
              </span>
              {run.error_summary !== null && <span class="faint"> {run.error_summary}</span>}
            </td>
            <td data-label="Started">
              <When at={run.started_at} />
            </td>
            <td data-label="Ended">
              <When at={run.ended_at} />
            </td>
            <td data-label="Planned" class="is-end">
              {formatCount(run.cases_planned)}
            </td>
            <td data-label="Downloaded" class="is-end">
              {formatCount(run.cases_downloaded)}
            </td>
            <td data-label="Failed" class="is-end">
              {formatCount(run.cases_failed)}
            </td>
            <td data-label="Skipped" class="is-end">
              {formatCount(run.cases_skipped)}
            </td>
            <td data-label="Coverage" class="is-end">
              {run.coverage_ratio === null ? '–' : formatShare(run.coverage_ratio, 1)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Missing({ coverage }: { readonly coverage: Coverage }) {
  const groups = groupMissing(coverage.missing);
  if (groups.length === 0) return null;
  return (
    <Panel title="Why the rest is not held" id="missing">
      <ul class="problems">
        {groups.map(({ reason, nextAction, count, example }) => (
          <li key={`${reason} ${nextAction}`}>
            <div class="problem-head">
              <b class="problem-count">{formatCount(count)}</b>
              <span class="problem-reason">{reason}</span>
              <span class="faint">{nextAction}</span>
            </div>
            <p class="problem-example">
              <span class="faint">for example</span>{' '}
              <Link to={casePath({ source: coverage.source, token: example.actions_token })}>
                {example.title ?? example.actions_token}
              </Link>
              {example.detail !== null && <span class="faint"> {example.detail}</span>}
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
