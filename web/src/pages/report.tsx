// The mirror at a glance: how much of the source is held, why the rest is not, its latest run, and the cases that are held.

import type { CaseListRow } from '../../../src/server/contract/mirror.ts';
import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { countOf, formatCount, formatShare } from '../lib/format.ts';
import { groupMissing } from '../lib/group-missing.ts';
import { casePath, queryOf } from '../lib/route.ts';
import { useList } from '../lib/use-list.ts';
import { useResource } from '../lib/use-resource.ts';
import { Badge, HealthBadge } from '../parts/badge.tsx';
import { CASE_COLUMNS } from '../parts/case-columns.tsx';
import type { Column } from '../parts/column.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Fact } from '../parts/fact.tsx';
import { Link } from '../parts/link.tsx';
import { ListView } from '../parts/list-view.tsx';
import { Empty, Loaded } from '../parts/loaded.tsx';
import { IndexMark } from '../parts/mirror-list.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';

type Coverage = AnswerOf<'coverage'>;

const { title, judgment, cause, court, category, downloaded, size, file } = CASE_COLUMNS;
const COLUMNS: readonly Column<CaseListRow>[] = [
  title,
  { ...judgment, keep: true },
  cause,
  court,
  category,
  downloaded,
  size,
  file,
];

export function Report() {
  const list = useList<CaseListRow>('/api/cases', {
    filters: ['source', 'search'],
    sorting: { by: 'judgmentDate', order: 'desc' },
    always: { state: 'held' },
  });
  const source = list.value('source');
  const coverage = useResource<'coverage'>(`/api/coverage${queryOf({ source })}`);
  const runs = useResource<'dbRuns'>(`/api/db/runs${queryOf({ source, limit: 10 })}`);
  return (
    <Page title="Report" lede={coverage.data === undefined ? undefined : `The mirror of ${coverage.data.source}`}>
      <Loaded what="the coverage" resource={coverage}>
        {(data) => (
          <>
            {data.index.checked_at !== null && <IndexPanel coverage={data} />}
            {data.cases_active + data.cases_inactive === 0 ? (
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
                <Missing title="Why the rest is not held" id="missing" source={data.source} cases={data.missing} />
                <Missing
                  title="Held files that could not be fetched again"
                  id="owed"
                  source={data.source}
                  cases={data.owed}
                />
                <Panel title="Every file that is held" id="held">
                  <p class="faint">{heldInWords(data)}</p>
                  <ListView
                    list={list}
                    label="Cases that are held"
                    noun="case"
                    layout="grid-fitted"
                    columns={COLUMNS}
                    rowKey={({ id }) => id}
                    searched="title, cause number, court or token"
                    empty={<Empty title="No case is held yet" />}
                  />
                </Panel>
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function IndexPanel({ coverage: { source, index } }: { readonly coverage: Coverage }) {
  return (
    <Panel
      title="Index"
      id="index"
      aside={<Link to={`/index${queryOf({ source })}`}>Versions and what they changed</Link>}
    >
      <IndexMark source={source} index={index} />
    </Panel>
  );
}

/** Says how the length of the list below comes about: a file stays when its case is no longer wanted. */
function heldInWords({ cases_held: held, cases_held_not_wanted: others }: Coverage): string {
  if (others === 0) return `${countOf(held, 'wanted case')}.`;
  const why = 'criminal, or gone from the index, and held from before';
  return `${countOf(held + others, 'file')}: ${countOf(held, 'wanted case')}, and ${formatCount(others)} ${why}.`;
}

function Held({ coverage }: { readonly coverage: Coverage }) {
  const { cases_held: held, cases_wanted: wanted, cases_held_not_wanted: others } = coverage;
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
        <Fact term="In the index">{formatCount(coverage.cases_active)}</Fact>
        <Fact term="Criminal, not wanted">{formatCount(coverage.cases_criminal)}</Fact>
        <Fact term="Gone from the index">{formatCount(coverage.cases_inactive)}</Fact>
        <Fact term="Wanted, not held">
          <span class={wanted > held ? 'is-bad' : undefined}>{formatCount(wanted - held)}</span>
        </Fact>
        <Fact term="Held, no longer wanted">{formatCount(others)}</Fact>
      </dl>
    </Panel>
  );
}

type MirrorRun = AnswerOf<'dbRuns'>['runs'][number];

const RUN_COLUMNS: readonly Column<MirrorRun>[] = [
  {
    label: 'Run',
    cell: (run) => (
      <>
        <Link to={`/runs/${run.id}`}>#{run.id}</Link>{' '}
        <span class="faint">
          {run.mode}, by {run.trigger}
        </span>
      </>
    ),
  },
  {
    label: 'State',
    cell: (run) => (
      <>
        <span class="badges">
          <Badge tone="calm">{run.status}</Badge>
          <HealthBadge health={run.run_health} />
        </span>
        {run.error_summary !== null && <span class="faint"> {run.error_summary}</span>}
      </>
    ),
  },
  { label: 'Started', cell: (run) => <When at={run.started_at} /> },
  { label: 'Ended', cell: (run) => <When at={run.ended_at} /> },
  { label: 'Planned', align: 'end', cell: (run) => formatCount(run.cases_planned) },
  { label: 'Downloaded', align: 'end', cell: (run) => formatCount(run.cases_downloaded) },
  { label: 'Failed', align: 'end', cell: (run) => formatCount(run.cases_failed) },
  { label: 'Skipped', align: 'end', cell: (run) => formatCount(run.cases_skipped) },
  {
    label: 'Coverage',
    align: 'end',
    cell: (run) => (run.coverage_ratio === null ? '–' : formatShare(run.coverage_ratio, 1)),
  },
];

function MirrorRuns({ runs }: { readonly runs: readonly MirrorRun[] }) {
  if (runs.length === 0) return <Empty title="No run yet" />;
  return <DataTable label="Latest runs of the mirror" columns={RUN_COLUMNS} rows={runs} rowKey={({ id }) => id} />;
}

interface MissingProps {
  readonly title: string;
  readonly id: string;
  readonly source: string;
  readonly cases: Coverage['missing'];
}

function Missing({ title, id, source, cases }: MissingProps) {
  const groups = groupMissing(cases);
  if (groups.length === 0) return null;
  return (
    <Panel title={title} id={id}>
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
              <Link to={casePath({ source, token: example.actions_token })}>
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
