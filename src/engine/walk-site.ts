// A site, from its start pages to its records: walk the lists, commit all or nothing, work the items off like any run.

import { join } from 'node:path';
import { FileStore } from '../archive/file-store.ts';
import { createPipeline } from '../fetch/create-pipeline.ts';
import type { FetchPipeline } from '../fetch/fetch-pipeline.ts';
import { Heartbeat } from '../fetch/heartbeat.ts';
import type { HostWait } from '../fetch/host-wait.ts';
import type { Patience } from '../fetch/patience.ts';
import { readMemory } from '../fetch/stored-memory.ts';
import { translate } from '../ledger/database.ts';
import { LEDGER_FILE } from '../ledger/ledger.ts';
import type { Trigger } from '../ledger/run.ts';
import type { StartPage, StoredPartialRun } from '../ledger/sites/partial-run-table.ts';
import { isUnreadable, unreadable } from '../ledger/stored-json.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/random.ts';
import { canonicalUrl } from '../scraper/canonical-url.ts';
import { defineScraper } from '../scraper/definition.ts';
import type { SiteDefinition } from '../sites/define-site.ts';
import { hashDefinition } from '../sites/hash-definition.ts';
import type { ScrapeRun } from '../sites/pagination-state.ts';
import { ProxyBlocklist } from '../sites/proxy-blocklist.ts';
import { ProxyDistributor } from '../sites/proxy-distributor.ts';
import { poolOf } from '../sites/proxy-pool.ts';
import { SiteManager } from '../sites/site-manager.ts';
import { SiteWalker } from '../sites/site-walker.ts';
import { type DataDirectory, openData } from './data-directory.ts';
import type { World } from './live-source.ts';
import { planSiteRun } from './plan-site-run.ts';
import { type ResumeOptions, type RunHandle, resumeIn, saved } from './run.ts';
import { readSettings, type Settings, type SettingsInput } from './settings.ts';
import { WalkMeter, type WalkProgress } from './walk-progress.ts';

/** How a site is walked. Settings that are not given are those of the walk that is gone on with, else the defaults. */
export interface WalkSiteOptions extends SettingsInput {
  /** Directory of the ledger, the archive and the files. Made if need be. */
  readonly data: string;
  /** The file the site was loaded from, so that the command line can go on with it. */
  readonly source?: string;
  /** Who asked for the run that it becomes, for whoever looks at it. Default `cli`. */
  readonly trigger?: Trigger;
  /** Called when a list page was saved, or a start page was given up, with where it stands. */
  readonly onProgress?: (startPage: StartPage) => void;
  /** Called when what was walked before is thrown away, since the lists are read in another way now. */
  readonly onThrownAway?: (thrownAway: StoredPartialRun) => void;
  /** Whether items that the run before had and this one has not are accepted as gone. Default: no, the run is suspicious. */
  readonly acceptMissing?: boolean;
  /** @internal Parts of the world to be replaced, for tests. */
  readonly world?: World;
}

/** `stopped`: it was told to stop, and what was walked is kept. */
export type WalkEnd = { readonly kind: 'committed'; readonly run: ScrapeRun } | { readonly kind: 'stopped' };

/** A walk under way. */
export interface WalkHandle {
  /**
   * Resolves when the walk is committed as a run, or was stopped. Rejects with `empty_pagination` or
   * `incomplete_pagination` when it may not be committed, and when it could not go on; what was walked is kept.
   */
  readonly end: Promise<WalkEnd>;
  /** `gently` finishes the page on the wire; `now` does not. Either way the walk can be gone on with. */
  stop(how?: 'gently' | 'now'): void;
  /** Undefined until the walk has begun. */
  progress(): WalkProgress | undefined;
  /** What is waited for now: hosts that are down, do not answer or have asked for time, and proxies that rest. */
  waits(): readonly HostWait[];
}

/**
 * Walks the start pages of a site and commits what it found as a run. Goes on with what an earlier walk has kept, with its
 * settings unless others are given.
 *
 * @example
 * const end = await walkSite(site, { data: './curlew-data' }).end;
 * if (end.kind === 'committed') console.log(await workSite(site, { data: './curlew-data', run: end.run.id }).summary);
 */
export function walkSite(site: SiteDefinition, options: WalkSiteOptions): WalkHandle {
  const stop = new AbortController();
  const abort = new AbortController();
  const watched: { meter?: WalkMeter; pipeline?: FetchPipeline } = {};
  const onOpened = (meter: WalkMeter, pipeline: FetchPipeline) => {
    Object.assign(watched, { meter, pipeline });
  };
  const patience = { stop: stop.signal, abort: abort.signal };
  const end = walkAndCommit(site, options, patience, onOpened).catch((error) => {
    if (error === STOPPED) return { kind: 'stopped' } as const;
    throw translate(join(options.data, LEDGER_FILE), error);
  });
  return {
    end,
    progress: () => watched.meter?.look(),
    waits: () => watched.pipeline?.waits() ?? [],
    stop(how = 'gently') {
      stop.abort(STOPPED);
      if (how === 'now') abort.abort(STOPPED);
    },
  };
}

/** Commits what was walked of a site, without walking. Rejects as `walkSite` does. */
export async function commitSite(site: SiteDefinition, options: WalkSiteOptions): Promise<ScrapeRun> {
  return withSite(site, options, ({ manager }) => manager.commitPartialRun(site.domain));
}

/** Works off the items of a committed run, through the site's proxies. */
export function workSite(site: SiteDefinition, options: ResumeOptions): RunHandle {
  return resumeIn(new site.scraper(), options, (data) => ({ assigner: distributorOf(site, data, systemClock) }));
}

interface OpenSite {
  readonly data: DataDirectory;
  readonly manager: SiteManager;
  readonly settings: Settings;
  readonly clock: Clock;
}

async function withSite<T>(
  site: SiteDefinition,
  options: WalkSiteOptions,
  use: (open: OpenSite) => Promise<T>,
): Promise<T> {
  const { data: path, source, trigger = 'cli', acceptMissing = false, world = {}, ...rest } = options;
  const { onProgress: _, onThrownAway: __, ...given } = rest;
  // What cannot be used is refused before there is a ledger.
  readSettings(given);
  const { clock = systemClock } = world;
  const data = await openData(path, { clock, disk: world.disk });
  try {
    const { sites } = data.ledger;
    const kept = await sites.partialRun(site.domain);
    if (isUnreadable(kept?.settings)) throw unreadable(`settings of the walk of ${site.domain}`);
    const settings = readSettings({ ...(kept?.settings as object | undefined), ...given });
    data.ledger.setDurability(settings.durability);
    const planRun = () => planSiteRun(site, { trigger, source, acceptMissing }, settings);
    const manager = new SiteManager({ ledger: sites, planRun });
    await manager.addSite(site, source);
    return await use({ data, manager, settings, clock });
  } finally {
    await data.ledger.close();
  }
}

function walkAndCommit(
  site: SiteDefinition,
  options: WalkSiteOptions,
  patience: Patience,
  onOpened: (meter: WalkMeter, pipeline: FetchPipeline) => void,
): Promise<WalkEnd> {
  return withSite(site, options, async (open) => {
    const { data, manager, settings } = open;
    const { sites } = data.ledger;
    const definition = defineScraper(new site.scraper(), settings.baseUrl);
    const startPages = site.startPages.map((url) => canonicalUrl(url, definition.baseUrl));
    const taken = await sites.takeWalk(site.domain, startPages, saved(settings), hashDefinition(site));
    const { writer, thrownAway } = taken;
    try {
      if (thrownAway !== undefined) options.onThrownAway?.(thrownAway);
      const { onProgress = () => {}, world: { random = systemRandom } = {} } = options;
      const pipeline = await openPipeline(site, options, open);
      const meter = new WalkMeter(await writer.startPages(), open.clock);
      onOpened(meter, pipeline);
      const onWalked = (startPage: StartPage) => {
        meter.note(startPage);
        onProgress(startPage);
      };
      const walker = new SiteWalker({
        site,
        definition,
        writer,
        pipeline,
        clock: open.clock,
        random,
        onProgress: onWalked,
      });
      await new Heartbeat(writer, pipeline, patience, open.clock).during((whole) => walker.walk(whole));
      // Who stops now wants no run to begin.
      patience.stop.throwIfAborted();
      return { kind: 'committed', run: await manager.commitPartialRun(site.domain) } as const;
    } finally {
      await writer.release();
    }
  });
}

/** Whoever opens it closes it. */
async function openPipeline(
  site: SiteDefinition,
  { world = {} }: WalkSiteOptions,
  { data, settings, clock }: OpenSite,
): Promise<FetchPipeline> {
  const files = await FileStore.open(data.files, data.disk);
  const memory = readMemory(await data.ledger.sites.fetchMemory(site.domain));
  const assigner = distributorOf(site, data, clock);
  // Of list pages only what was found on them is kept.
  const begunAt = (await data.ledger.sites.partialRun(site.domain))?.createdAt ?? clock.now();
  const real = { clock, random: systemRandom, notes: data.ledger.notes, exchanges: 'told', begunAt } as const;
  return createPipeline(settings, { ...real, ...world, files, memory, assigner });
}

function distributorOf(site: SiteDefinition, { ledger }: DataDirectory, clock: Clock): ProxyDistributor | undefined {
  const pool = poolOf(site.proxies);
  const blocklist = new ProxyBlocklist(ledger.sites);
  return pool && new ProxyDistributor({ domain: site.domain, pool, blocklist, clock });
}

const STOPPED = new Error('The walk is being stopped.');
