// What is going on, and what needs somebody: that comes first, in words.

import { useEffect, useState } from 'preact/hooks';
import type { Attention, RunRow, SiteWalk } from '../../../src/server/contract/runs.ts';
import { announce } from '../lib/announce.ts';
import { post } from '../lib/api.ts';
import { countOf, formatCount, formatRate, localTimes } from '../lib/format.ts';
import { useLive, useThrottled } from '../lib/live.ts';
import { notify } from '../lib/notices.ts';
import { queryOf } from '../lib/route.ts';
import { type Told, toldSince } from '../lib/told.ts';
import { useResource } from '../lib/use-resource.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Badge } from '../parts/badge.tsx';
import { Fact } from '../parts/fact.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, Loaded } from '../parts/loaded.tsx';
import { MirrorList } from '../parts/mirror-list.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { RunList } from '../parts/run-list.tsx';
import { StartPages } from '../parts/start-pages.tsx';
import { Waits } from '../parts/waits.tsx';
import { When } from '../parts/when.tsx';

const REFRESH_MS = 3_000;

export function Overview() {
  const overview = useResource<'overview'>('/api/overview');
  const { data } = overview;
  const [news, setNews] = useState<ReadonlyMap<number, Told>>(new Map());
  const newest = (run: RunRow) => toldSince(overview.askedAt, news.get(run.id)) ?? run;
  const reloadSoon = useThrottled(overview.reload, REFRESH_MS);
  useLive(undefined, data?.lastEventId, {
    onRun(run) {
      setNews((before) => new Map(before).set(run.id, { run, at: performance.now() }));
      const known = data?.runs.find(({ id }) => id === run.id);
      if (known !== undefined && newest(known).state !== run.state)
        announce(`${run.name}, run ${run.id}: ${run.state}`);
      reloadSoon();
    },
    onEvent: reloadSoon,
    onBegin: overview.reload,
    onGap: overview.reload,
  });
  const isWalking = data?.walks.some(({ owner }) => owner.state === 'alive') === true;
  useEffect(() => {
    if (!isWalking) return;
    // A walk is no run yet: the stream does not tell of it.
    const timer = setInterval(() => document.visibilityState === 'visible' && overview.reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isWalking]);
  // Those are in it.
  useEffect(() => setNews((before) => new Map([...before].filter(([, { at }]) => at >= overview.askedAt))), [data]);

  return (
    <Page title="Overview">
      <Loaded what="the overview" resource={overview}>
        {({ attention, runs, walks, mirrors, indexes, deadLetters }) => {
          const current = runs.map(newest);
          if (runs.length === 0 && walks.length === 0 && mirrors.length === 0) return <Newcomer />;
          return (
            <>
              <Figures runs={current} deadLetters={deadLetters} />
              <Panel title="Needs attention" id="attention">
                <AttentionList items={attention} runs={current} />
              </Panel>
              {(mirrors.length > 0 || indexes.length > 0) && (
                <Panel title="Mirrors" id="mirrors" aside={<Link to="/index">Versions of the index</Link>}>
                  <MirrorList mirrors={mirrors} indexes={indexes} />
                </Panel>
              )}
              {isWalking && <Walks walks={walks} changed={overview.reload} />}
              <Panel title="Runs" id="runs" aside={<Link to="/runs">All runs</Link>}>
                {runs.length === 0 ? (
                  <Empty title="No run is committed yet" />
                ) : (
                  <RunList runs={current} label="Runs that are going on, then the newest" />
                )}
              </Panel>
              {walks.length > 0 && !isWalking && <Walks walks={walks} changed={overview.reload} />}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Figures({ runs, deadLetters }: { readonly runs: readonly RunRow[]; readonly deadLetters: number | null }) {
  const running = runs.filter(({ state }) => state === 'running');
  const perSecond = running.reduce((sum, run) => sum + (run.perSecond ?? 0), 0);
  const pending = running.reduce((sum, { counts }) => sum + counts.pending, 0);
  return (
    <dl class="figures">
      <Fact term="Running">{formatCount(running.length)}</Fact>
      <Fact term="Rate">{formatRate(perSecond)}</Fact>
      <Fact term="Pending">{formatCount(pending)}</Fact>
      <Fact term="Dead letters">
        {deadLetters === null ? '–' : <Link to="/dead-letters">{formatCount(deadLetters)}</Link>}
      </Fact>
    </dl>
  );
}

const SEVERITY_TONES = { urgent: 'bad', warning: 'warn', notice: 'calm' } as const;

/** Every run that needs attention has an item: those without one are well, or a newer run of their name has ended. */
function AllWell({ runs }: { readonly runs: readonly RunRow[] }) {
  const older = runs.filter(({ state, health }) => state !== 'running' && (state !== 'completed' || health !== 'ok'));
  return (
    <>
      <p class="all-well">Nothing. The newest run of each scraper, site and mirror is as it should be.</p>
      {older.length > 0 && (
        <p class="faint">
          {countOf(older.length, 'older run')} below did not end well; a newer run of the same name has ended since.
        </p>
      )}
    </>
  );
}

interface AttentionListProps {
  readonly items: readonly Attention[];
  readonly runs: readonly RunRow[];
}

function AttentionList({ items, runs }: AttentionListProps) {
  if (items.length === 0) return <AllWell runs={runs} />;
  return (
    <ul class="attention">
      {items.map((item) => (
        <li
          key={JSON.stringify([item.text, item.run, item.host, item.site, item.source])}
          class={`attention-${item.severity}`}
        >
          <Badge tone={SEVERITY_TONES[item.severity]}>{item.severity}</Badge>
          <div>
            <p class="attention-text">
              <Where item={item} />
              {item.since !== null && (
                <>
                  {' '}
                  since <When at={item.since} />
                </>
              )}
            </p>
            {item.action !== null && <p class="faint">{localTimes(item.action, Date.now())}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Where({ item: { text, run, host, site, source } }: { readonly item: Attention }) {
  if (source !== null) return <Link to={`/report${queryOf({ source })}`}>{text}</Link>;
  if (run !== null) return <Link to={`/runs/${run}`}>{text}</Link>;
  if (host !== null) return <Link to="/hosts">{text}</Link>;
  // What is of no run, host, site or mirror is of the fetcher.
  return site === null ? <Link to="/dead-letters">{text}</Link> : <span>{text}</span>;
}

function Walks({ walks, changed }: { readonly walks: readonly SiteWalk[]; readonly changed: () => void }) {
  return (
    <Panel title="Sites whose lists are not complete" id="walks">
      {walks.map((walk) => (
        <div key={walk.site} class="walk">
          <div class="panel-head">
            <h3>{walk.site}</h3>
            <span class="buttons">
              {walk.owner.state === 'alive' ? (
                <ActionButton
                  label="Stop"
                  about={walk.site}
                  obstacle={walk.can.stop}
                  act={() => post<'stopWalk'>(`/api/sites/${encodeURIComponent(walk.site)}/stop`)}
                  done={() => {
                    notify('good', `The walk of ${walk.site} was asked to stop.`);
                    changed();
                  }}
                />
              ) : (
                <ActionButton
                  label="Resume"
                  about={walk.site}
                  tone="primary"
                  obstacle={walk.can.resume}
                  act={() => post<'resumeWalk'>(`/api/sites/${encodeURIComponent(walk.site)}/resume`)}
                  done={() => {
                    notify('good', `The walk of ${walk.site} goes on.`);
                    changed();
                  }}
                />
              )}
            </span>
          </div>
          <p class="faint">
            {countOf(walk.urls, 'item')} found since <When at={walk.beganAt} />; {walk.owner.text}. Nothing is fetched
            before every list is complete.
          </p>
          <Waits waits={walk.waits} />
          <StartPages pages={walk.startPages} />
        </div>
      ))}
    </Panel>
  );
}

function Newcomer() {
  return (
    <Empty title="Nothing has been run here yet">
      <p>
        A run fetches the pages of a site, keeps every byte, and says what is complete and what is not. Begin with one
        of the examples.
      </p>
      <p>
        <Link to="/start" class="button primary">
          Start a run
        </Link>
      </p>
      <p class="faint">
        Or from a shell: <code>curlew run my-scraper.ts</code>. It appears here by itself.
      </p>
    </Empty>
  );
}
