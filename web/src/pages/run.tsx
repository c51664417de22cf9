// One run: how far it is, what went wrong, what it found, and what happens in it now.

import { useState } from 'preact/hooks';
import type { RunDetail, StoredEvent } from '../../../src/server/contract/runs.ts';
import { announce } from '../lib/announce.ts';
import { countOf, formatCount, formatDuration, formatRate, formatShare } from '../lib/format.ts';
import { useLive, useThrottled } from '../lib/live.ts';
import { timeLeftInWords } from '../lib/time-left.ts';
import { type Told, toldSince } from '../lib/told.ts';
import { troubleSentences } from '../lib/troubles.ts';
import { useResource } from '../lib/use-resource.ts';
import { settledOf, totalOf } from '../lib/verdicts.ts';
import { HealthBadge, StateBadge } from '../parts/badge.tsx';
import { EntryCoverageTable } from '../parts/entry-coverage.tsx';
import { EventLog } from '../parts/event-log.tsx';
import { Fact } from '../parts/fact.tsx';
import { GapMapView } from '../parts/gap-map-view.tsx';
import { HostProgress } from '../parts/host-progress.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, Loaded } from '../parts/loaded.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Problems } from '../parts/problems.tsx';
import { RunActions } from '../parts/run-actions.tsx';
import { StartPages } from '../parts/start-pages.tsx';
import { TimelineChart } from '../parts/timeline-chart.tsx';
import { VerdictBar, VerdictLegend } from '../parts/verdict-bar.tsx';
import { Waits } from '../parts/waits.tsx';
import { When } from '../parts/when.tsx';

const REFRESH_MS = 2_000;
const MOST_EVENTS = 300;

export function RunPage({ id }: { readonly id: number }) {
  const path = `/api/runs/${id}`;
  const detail = useResource<'run'>(path);
  const summary = useResource<'runSummary'>(`${path}/summary`);
  const problems = useResource<'runProblems'>(`${path}/problems`);
  const timeline = useResource<'runTimeline'>(`${path}/timeline`);
  const walks = useResource<'runWalks'>(`${path}/walks`);
  const events = useResource<'runEvents'>(`${path}/events`);
  const [told, setTold] = useState<Told | undefined>(undefined);
  const [heard, setHeard] = useState<readonly StoredEvent[]>([]);

  const reloadAll = () => {
    for (const part of [detail, summary, problems, timeline, walks]) part.reload();
  };
  const reloadSoon = useThrottled(reloadAll, REFRESH_MS);
  const loaded = detail.data?.run;
  const run = loaded === undefined ? undefined : { ...loaded, ...toldSince(detail.askedAt, told) };
  useLive(id, events.data === undefined ? undefined : (loaded?.lastEventId ?? undefined), {
    onRun(row) {
      setTold({ run: row, at: performance.now() });
      if (run === undefined || run.state === row.state) {
        reloadSoon();
        return;
      }
      announce(`${row.name} is ${row.state}`);
      // Who works on it and what can be done with it have changed too, and are not told.
      reloadAll();
    },
    onEvent(event) {
      setHeard((before) => [event, ...before].slice(0, MOST_EVENTS));
      reloadSoon();
    },
    onBegin: detail.reload,
    onGap() {
      setHeard([]);
      events.reload();
      reloadAll();
    },
  });
  return (
    <Page
      title={run === undefined ? `Run ${id}` : `${run.name}`}
      trail={
        <>
          <Link to="/runs">Runs</Link> / #{id}
        </>
      }
      lede={run !== undefined && <Lede run={run} />}
      actions={run !== undefined && <RunActions run={run} changed={reloadAll} />}
    >
      <Loaded what={`run ${id}`} resource={detail}>
        {() =>
          run !== undefined && (
            <>
              <Troubles run={run} warnings={summary.data?.warnings ?? []} />
              <Waits waits={run.waits} />
              <Progress run={run} />
              <Problems run={run} resource={problems} changed={reloadAll} />
              {summary.data !== undefined && summary.data.coverage.length > 0 && (
                <Panel title="Coverage" id="coverage">
                  <EntryCoverageTable coverage={summary.data.coverage} />
                </Panel>
              )}
              <Panel title="Verdicts over time" id="timeline">
                <Loaded what="the timeline" resource={timeline}>
                  {(data) =>
                    data.buckets.length === 0 ? (
                      <Empty title="Nothing is settled yet" />
                    ) : (
                      <TimelineChart timeline={data} />
                    )
                  }
                </Loaded>
              </Panel>
              {walks.data !== undefined && walks.data.walks.length > 0 && (
                <Panel title="Ids" id="ids">
                  {walks.data.walks.map((walk) => (
                    <GapMapView key={`${walk.speculator} ${walk.partition}`} walk={walk} />
                  ))}
                </Panel>
              )}
              {run.startPages.length > 0 && (
                <Panel title="Start pages" id="start-pages">
                  <StartPages pages={run.startPages} />
                </Panel>
              )}
              <Found run={run} kinds={summary.data?.recordKinds ?? []} />
              {run.hosts.length > 0 && (
                <Panel title="Hosts" id="hosts" aside={<Link to="/hosts">Breakers, rates, robots.txt</Link>}>
                  <HostProgress hosts={run.hosts} />
                </Panel>
              )}
              <Panel title="Events" id="events">
                <Loaded what="the events" resource={events}>
                  {({ rows }) => <EventLog run={id} events={mergeEvents(heard, rows)} />}
                </Loaded>
              </Panel>
              <Settings run={run} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** Newest first, each once. */
function mergeEvents(heard: readonly StoredEvent[], loaded: readonly StoredEvent[]): StoredEvent[] {
  const byId = new Map([...loaded, ...heard].map((event) => [event.id, event]));
  return [...byId.values()].sort((a, b) => b.id - a.id).slice(0, MOST_EVENTS);
}

function Lede({ run }: { readonly run: RunDetail }) {
  return (
    <span class="badges">
      <StateBadge state={run.state} />
      <HealthBadge health={run.health} />
      <span class="faint">
        {run.kind}
        {run.mode === null ? '' : `, ${run.mode}`}
        {run.replayOf === null ? '' : ` of run ${run.replayOf}`}, started by {run.trigger}
        {run.source !== null && (
          <>
            , <span title={run.source}>{run.source.split(/[\\/]/).at(-1)}</span>
          </>
        )}
      </span>
    </span>
  );
}

function Troubles({ run, warnings }: { readonly run: RunDetail; readonly warnings: readonly string[] }) {
  const killed = run.state === 'killed' ? run.owner.text : undefined;
  const sentences = troubleSentences({ killed, error: run.error, warnings });
  if (sentences.length === 0) return null;
  return (
    <ul class={run.state === 'killed' || run.state === 'failed' ? 'troubles is-bad' : 'troubles'}>
      {sentences.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

/** What a verdict is called among the cases of a run. */
const CASE_STATUSES: Readonly<Record<string, string | undefined>> = { done: 'downloaded', pending: 'unfinished' };

function Progress({ run }: { readonly run: RunDetail }) {
  const total = totalOf(run.counts);
  const isMirror = run.kind === 'mirror';
  const linkTo = (verdict: string) =>
    isMirror
      ? `/runs/${run.id}/requests?status=${CASE_STATUSES[verdict] ?? verdict}`
      : `/runs/${run.id}/requests?verdict=${encodeURIComponent(verdict)}`;
  return (
    <Panel
      title="Progress"
      id="progress"
      aside={<Link to={`/runs/${run.id}/requests`}>{isMirror ? 'All its cases' : 'All requests'}</Link>}
    >
      <p class="progress-line">
        <b class="progress-share">{formatShare(settledOf(run.counts), total)}</b> settled:{' '}
        {formatCount(settledOf(run.counts))} of {countOf(total, isMirror ? 'case' : 'request')} known so far
      </p>
      <VerdictBar counts={run.counts} />
      <VerdictLegend counts={run.counts} linkTo={linkTo} />
      <dl class="facts">
        <Fact term="Rate">{run.perSecond === null ? 'not running' : formatRate(run.perSecond)}</Fact>
        {run.timeLeft !== null && <Fact term="Time left">{timeLeftInWords(run.timeLeft)}</Fact>}
        {isMirror ? (
          <Fact term="Files">{formatCount(run.downloads?.downloaded ?? 0)}</Fact>
        ) : (
          <Fact term="Records">
            {formatCount(run.records)}
            {run.invalid > 0 && <span class="is-bad"> ({formatCount(run.invalid)} invalid)</span>}
          </Fact>
        )}
        {run.coverage !== null && (
          <Fact term="Of the plan">
            {formatShare(run.counts.done, run.coverage.casesPlanned)} of {countOf(run.coverage.casesPlanned, 'case')}
          </Fact>
        )}
        <Fact term="Started">
          <When at={run.startedAt} />
        </Fact>
        <Fact term="Ended">
          <When at={run.endedAt} />
        </Fact>
        <Fact term="Worked">{run.activeMs === 0 ? '–' : formatDuration(run.activeMs)}</Fact>
        {run.owner.pid !== null && <Fact term="Process">{run.owner.text}</Fact>}
      </dl>
    </Panel>
  );
}

interface FoundProps {
  readonly run: RunDetail;
  readonly kinds: readonly { readonly kind: string; readonly total: number; readonly invalid: number }[];
}

function Found({ run, kinds }: FoundProps) {
  if (run.kind === 'mirror') return null;
  return (
    <Panel title="Records" id="records" aside={<Link to={`/runs/${run.id}/records`}>All records</Link>}>
      {kinds.length === 0 ? (
        <Empty title="No record yet" />
      ) : (
        <ul class="kinds">
          {kinds.map(({ kind, total, invalid }) => (
            <li key={kind}>
              <Link to={`/runs/${run.id}/records?kind=${encodeURIComponent(kind)}`}>{kind}</Link>{' '}
              <b>{formatCount(total)}</b>
              {invalid > 0 && (
                <Link to={`/runs/${run.id}/records?kind=${encodeURIComponent(kind)}&valid=false`} class="is-bad">
                  {formatCount(invalid)} invalid
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Settings({ run }: { readonly run: RunDetail }) {
  return (
    <details class="panel">
      <summary>Parameters and settings</summary>
      <h3>Parameters</h3>
      <pre>{JSON.stringify(run.params, null, 2)}</pre>
      <h3>Settings</h3>
      <pre>{JSON.stringify(run.settings, null, 2)}</pre>
    </details>
  );
}
