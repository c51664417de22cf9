// judicial.ky and its Box on two loopback ports. What they serve follows from the seed, the version travelled to, and
// the site's own time, which is the clock's plus what was advanced. Each origin has its own log and faults.

import { systemClock } from '../../src/platform/clock.ts';
import { Gate } from '../gate.ts';
import type { LatencyMs } from '../latency.ts';
import { SignedUrls } from '../signed-urls.ts';
import { type Site, type SiteOptions, startSite } from '../site.ts';
import { boxHandler } from './box-handler.ts';
import { Corpus, type CorpusOptions, type CorpusVersion } from './corpus.ts';
import { editionsOf } from './edition.ts';
import { judicialControl } from './judicial-control.ts';
import { AJAX_PATH, CSV_PATH, REGISTER_PATH } from './paths.ts';
import { DEFAULT_SETTINGS, type JudicialKySettings } from './settings.ts';
import { siteHandler } from './site-handler.ts';
import { type Origin, SWITCHES, type SwitchName, type SwitchScope } from './switches.ts';

/** As WordPress has it. */
const DEFAULT_ROBOTS = 'User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n';

export interface JudicialKyOptions extends CorpusOptions, SiteOptions, Partial<JudicialKySettings> {
  /** Port of Box. Default 0: the system chooses. */
  readonly boxPort?: number;
  /** Text of robots.txt; null: there is none (404). Box has none. */
  readonly robots?: string | null;
}

/** A switch that is on: `clear` of its origin's faults takes the id. */
interface ActiveSwitch {
  readonly origin: Origin;
  readonly id: number;
}

/** What can be done to the site, in this process or over the control endpoint. */
export interface JudicialKyControls {
  /** Shows another version of the index from now on, on every page. */
  travelTo(version: CorpusVersion): void;
  /** Makes all nonces given so far worthless. */
  rotateNonce(): void;
  /** Moves the site's time forward: signed URLs and nonces age. */
  advance(ms: number): void;
  configure(settings: Partial<JudicialKySettings>): void;
  /** Sets the fault of this name on its origin: always, or as the scope says. */
  switchOn(name: SwitchName, scope?: SwitchScope): ActiveSwitch;
}

/** `url`, `log`, `faults` and `stats` are those of judicial.ky itself; latency is set for both origins. */
export interface RunningJudicialKy extends Site, JudicialKyControls {
  readonly corpus: Corpus;
  readonly box: Site;
  readonly boxUrl: string;
  /** The page with the register. */
  readonly pageUrl: string;
  readonly csvUrl: string;
  readonly ajaxUrl: string;
  /** The version shown now. */
  readonly version: CorpusVersion;
  setRobots(text: string | null): void;
}

/** Starts both origins. Whoever starts them closes them. Throws the system's error when a port cannot be had. */
export async function startJudicialKy(options: JudicialKyOptions = {}): Promise<RunningJudicialKy> {
  const { seed = 1, clock = systemClock } = options;
  const corpus = new Corpus(options);
  const editions = editionsOf(corpus);
  let settings: JudicialKySettings = settingsOf(options);
  let version: CorpusVersion = 'v1';
  let advancedMs = 0;
  let robots = options.robots === undefined ? DEFAULT_ROBOTS : options.robots;
  const now = () => clock.now() + advancedMs;
  const gate = new Gate({ seed, now, tickMs: () => settings.nonceTickMs });
  const urls = new SignedUrls({ seed, now });

  const controls: JudicialKyControls = {
    travelTo: (to) => {
      version = to;
    },
    rotateNonce: () => gate.rotateNonce(),
    advance: (ms) => {
      advancedMs += ms;
    },
    configure: (changes) => {
      settings = { ...settings, ...changes };
    },
    switchOn: (name, scope = {}) => {
      const { origin, fault } = SWITCHES[name];
      return { origin, id: (origin === 'box' ? box : site).faults.set({ ...fault, ...scope }) };
    },
  };
  const box = await startSite(boxHandler({ corpus, urls, settings: () => settings }), {
    ...options,
    port: options.boxPort ?? 0,
    tokenOf: ({ pathname }) => urls.read(pathname)?.token,
  });
  const parts = {
    corpus,
    gate,
    urls,
    boxUrl: box.url,
    edition: () => editions(version),
    settings: () => settings,
    robots: () => robots,
  };
  const site = await startSite(siteHandler(parts), {
    ...options,
    tokenOf: ({ pathname, body }) =>
      pathname === AJAX_PATH ? (new URLSearchParams(body).get('fname') ?? undefined) : undefined,
    controlRoutes: judicialControl(controls),
  }).catch(async (error: unknown) => {
    await box.close();
    throw error;
  });

  return {
    ...controls,
    corpus,
    box,
    boxUrl: box.url,
    url: site.url,
    pageUrl: site.url + REGISTER_PATH,
    csvUrl: site.url + CSV_PATH,
    ajaxUrl: site.url + AJAX_PATH,
    controlUrl: site.controlUrl,
    log: site.log,
    faults: site.faults,
    get version() {
      return version;
    },
    setRobots: (text) => {
      robots = text;
    },
    stats: () => site.stats(),
    setLatency: (latencyMs: LatencyMs) => {
      site.setLatency(latencyMs);
      box.setLatency(latencyMs);
    },
    close: async () => {
      await Promise.all([site.close(), box.close()]);
    },
  };
}

function settingsOf(options: Partial<JudicialKySettings>): JudicialKySettings {
  const { nonceName, refusalStatus, expiredStatus, urlLifeMs, nonceTickMs } = DEFAULT_SETTINGS;
  return {
    nonceName: options.nonceName ?? nonceName,
    refusalStatus: options.refusalStatus ?? refusalStatus,
    expiredStatus: options.expiredStatus ?? expiredStatus,
    urlLifeMs: options.urlLifeMs ?? urlLifeMs,
    nonceTickMs: options.nonceTickMs ?? nonceTickMs,
  };
}
