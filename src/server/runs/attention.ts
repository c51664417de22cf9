// What a person should look at, in words, the most urgent first. Decided from plain facts.

import type { HostWait } from '../../fetch/host-wait.ts';
import { sayUnreadable } from '../../ledger/mirror/index-use.ts';
import type { Instant } from '../../platform/clock.ts';
import type { IndexState, MirrorCoverage } from '../contract/index-state.ts';
import type { Attention, RunRow, SiteWalk } from '../contract/runs.ts';
import { iso } from '../http/iso.ts';

/** A run that no newer one of its kind and name has replaced. */
export interface RunFacts {
  readonly row: RunRow;
  /** Whether its requests are ids that it walks over. */
  readonly walks: boolean;
  readonly lastHeardOf: Instant | undefined;
  /** Since when there are requests that came to that. */
  readonly since: Readonly<Partial<Record<'failed' | 'blocked' | 'unknown', Instant>>>;
}

export interface HostFacts {
  readonly host: string;
  readonly isOpen: boolean;
  /** Undefined when it is asked as usual. */
  readonly wait: HostWait | undefined;
}

/** Stored things that are not what was stored. */
interface Damage {
  readonly count: number;
  /** Of the first that was found, and when. */
  readonly problem: string;
  readonly since: Instant;
  readonly run: number | undefined;
}

export interface AttentionFacts {
  readonly runs: readonly RunFacts[];
  readonly walks: readonly SiteWalk[];
  readonly hosts: readonly (HostFacts & {
    /** By a run or walk that is on. */
    readonly isWaitedFor: boolean;
  })[];
  readonly indexes: readonly IndexState[];
  readonly mirrors: readonly MirrorCoverage[];
  /** Undefined when they cannot be asked for. */
  readonly deadLetters: number | undefined;
  /** What the scrubber found; undefined when nothing is damaged, as far as it knows. */
  readonly damage?: Damage | undefined;
}

const URGENCY = { urgent: 0, warning: 1, notice: 2 } as const;

export function listAttention({
  runs,
  walks,
  hosts,
  indexes,
  mirrors,
  deadLetters,
  damage,
}: AttentionFacts): Attention[] {
  const items = [
    ...ofDamage(damage),
    ...runs.flatMap(ofRun),
    ...walks.flatMap(ofWalk),
    ...hosts.flatMap(ofHost),
    ...indexes.flatMap(ofIndex),
    ...mirrors.flatMap((mirror) => ofMirror(mirror, runs)),
    ...ofLetters(deadLetters),
  ];
  return items.sort((a, b) => URGENCY[a.severity] - URGENCY[b.severity] || compare(b.since ?? '', a.since ?? ''));
}

/** Why a run is suspicious, where its kind has reasons of its own. */
const SUSPICIOUS: Partial<Record<RunRow['kind'], string>> = {
  mirror: 'by an index that the site did not confirm, or without any attempt',
  site: 'found nothing, far less than before, or not all items that the run before had',
};

function ofRun({ row, walks, lastHeardOf, since }: RunFacts): Attention[] {
  const { id: run, counts, state, invalid, records, health } = row;
  const name = row.replayOf === null ? row.name : `${row.name}, replay of run ${row.replayOf}`;
  const what = row.kind === 'mirror' ? 'case' : walks ? 'id' : 'request';
  const ended = row.endedAt === null ? undefined : Date.parse(row.endedAt);
  const items: Attention[] = [];
  const add = (severity: Attention['severity'], text: string, at: Instant | undefined, action: string) =>
    items.push(item(severity, `${name}: ${text}`, { run, since: iso(at), action }));
  if (state === 'killed') {
    add(
      'urgent',
      `killed, its process is gone, and ${say(counts.pending, what)} pending`,
      lastHeardOf,
      'Resume it: nothing is lost.',
    );
  }
  if (state === 'not_started' && counts.pending > 0) {
    add('notice', `not started, ${say(counts.pending, what)} pending`, Date.parse(row.startedAt), 'Resume it.');
  }
  if (state === 'failed' || state === 'aborted') {
    add(
      'urgent',
      `run ${state}${row.error === null ? '' : `: ${row.error}`}`,
      ended,
      'See what went wrong, then resume it.',
    );
  }
  if (state === 'interrupted' && counts.pending > 0) {
    add('notice', `stopped with ${say(counts.pending, what)} pending`, ended, 'Resume it.');
  }
  // What a replay could not read, the run it replays has told of.
  const isReplay = row.kind === 'replay';
  if (counts.blocked > 0 && !isReplay) {
    add(
      'urgent',
      `${say(counts.blocked, what)} refused`,
      since.blocked,
      'They are not missing: resume asks for them again.',
    );
  }
  if (counts.unknown > 0 && !isReplay) {
    add(
      'warning',
      `${say(counts.unknown, what)} without a usable answer`,
      since.unknown,
      'Resume asks for them again.',
    );
  }
  if (counts.failed > 0) {
    add(
      'warning',
      `${say(counts.failed, what)} failed`,
      since.failed ?? ended,
      row.kind === 'mirror'
        ? 'Look at an example; a run in mode resume tries them again.'
        : 'Look at an example, mend it, requeue them.',
    );
  }
  if (invalid > 0) {
    add(
      'warning',
      `${say(invalid, 'record')} of ${records} not as the schema says`,
      undefined,
      'Look at them under records.',
    );
  }
  if (health === 'suspicious' && state === 'completed') {
    const why = SUSPICIOUS[row.kind] ?? 'found nothing or far less than before';
    add('warning', `completed, but ${why}`, ended, 'Look whether the site has changed.');
  }
  // The page says that all is well when there is no item: so whatever else is wrong is told as well.
  if (items.length === 0 && state !== 'running' && health !== 'ok') {
    add('warning', `${state}${health === null ? '' : `, health ${health}`}`, ended, 'Look at the run.');
  }
  return items;
}

function ofWalk(walk: SiteWalk): Attention[] {
  const { site, owner, startPages, urls } = walk;
  const items: Attention[] = [];
  if (owner.state === 'gone' || owner.state === 'silent') {
    const text = `${site}: killed while walking its lists, ${say(urls, 'item')} found so far`;
    items.push(item('urgent', text, { site, since: owner.heartbeatAt, action: 'Resume it: nothing is lost.' }));
  } else if (owner.state === 'none') {
    const left = startPages.filter(({ completed }) => !completed).length;
    const text = `${site}: ${left} of ${say(startPages.length, 'start page')} not complete`;
    items.push(item('warning', text, { site, since: walk.beganAt, action: 'Resume it.' }));
  }
  return items;
}

/** What is waited for; of a host that nobody waits for, what it did when it was last asked. */
function ofHost({ host, isOpen, wait, isWaitedFor }: AttentionFacts['hosts'][number]): Attention[] {
  if (wait === undefined) return [];
  const { until, reason } = wait;
  if (!isWaitedFor) {
    if (!isOpen) return [];
    const text = `${host}: not answering when it was last asked, ${reason}`;
    return [item('warning', text, { host, action: 'The next run asks it again by itself.' })];
  }
  const action = until === undefined ? 'It is asked again by itself.' : `It is asked again at ${iso(until)}.`;
  return [item(isOpen ? 'urgent' : 'notice', `waiting for ${host}, ${reason}`, { host, action })];
}

function ofIndex(index: IndexState): Attention[] {
  return [...ofStaleIndex(index), ...ofUnreadableRows(index)];
}

function ofUnreadableRows({
  source,
  unreadable_rows: rows,
  row_count,
  csv_version_id,
  fetched_at,
}: IndexState): Attention[] {
  if (rows === null) return [];
  const text = `${source}: ${sayUnreadable(rows, row_count)}`;
  const action = `Look at version ${csv_version_id} of the index, and ask the court to mend it: cases that stand only there are not known.`;
  return [item('warning', text, { source, since: fetched_at, action })];
}

function ofStaleIndex({ source, problem, confirmed_at }: IndexState): Attention[] {
  if (problem === null) return [];
  const text = `${source}: the index could not be brought up to date: ${problem.reason}`;
  const action = 'Look at the address of the index (curlew mirror config): what the court added since is not known.';
  return [item('urgent', text, { source, since: confirmed_at, action })];
}

/** What is missing of a mirror, unless a run that is on may bring it, or its newest run tells of as many that failed. */
function ofMirror({ source, cases_wanted, cases_held }: MirrorCoverage, runs: readonly RunFacts[]): Attention[] {
  const missing = cases_wanted - cases_held;
  const own = runs.map(({ row }) => row).filter(({ kind, name }) => kind === 'mirror' && name === source);
  const told = own.reduce((sum, { counts }) => sum + counts.failed, 0);
  if (missing <= told || own.some(({ state }) => state === 'running')) return [];
  const text = `${source}: ${missing} of ${say(cases_wanted, 'wanted case')} not held`;
  return [item('warning', text, { source, action: 'The report says why; a run in mode new fetches them.' })];
}

function ofDamage(damage: Damage | undefined): Attention[] {
  if (damage === undefined) return [];
  const { count, problem, since, run = null } = damage;
  const text = `${say(count, 'stored page or file', 'stored pages or files')} damaged`;
  const first = `${count === 1 ? '' : 'The first: '}${problem}.`;
  const action = `${first} curlew verify lists all damage, and curlew verify --repair fetches it again.`;
  return [item('urgent', text, { since: iso(since), run, action })];
}

function ofLetters(count: number | undefined): Attention[] {
  if (count === undefined) {
    const action = 'See that the Redis in PAGE_FETCHER_REDIS_URL is up.';
    return [item('urgent', 'the fetcher: its Redis does not answer', { action })];
  }
  if (count === 0) return [];
  return [item('warning', `${say(count, 'dead letter')} of the fetcher`, { action: 'Requeue or drop them.' })];
}

function item(severity: Attention['severity'], text: string, rest: Partial<Attention>): Attention {
  return { severity, text, since: null, action: null, run: null, host: null, site: null, source: null, ...rest };
}

function say(count: number, thing: string, things = `${thing}s`): string {
  return `${count} ${count === 1 ? thing : things}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
