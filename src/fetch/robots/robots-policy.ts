// May this URL be fetched? One robots.txt per origin, asked for once however many wait for it, and kept for a day. When
// it cannot be reached the last copy counts; without one the mode decides, and it is asked for again soon.

import type { Clock, Instant } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { foldEscapes } from '../../platform/percent-escapes.ts';
import type { Random } from '../../platform/random.ts';
import { defaultRetrySettings, type RetrySettings } from '../politeness/retry-policy.ts';
import { SingleFlight } from '../politeness/single-flight.ts';
import { isProductToken } from './agent-sections.ts';
import { type GetRobots, type LoadRobotsOptions, loadRobots, type NotAsked } from './load-robots.ts';
import type { RobotsRecord, RobotsStore } from './robots-store.ts';
import { parseRobots, type RobotsTxt } from './robots-txt.ts';

/** What counts where robots.txt is unreachable: `allow` with a warning, `strict` disallows. `off` never asks for it. */
type RobotsMode = 'allow' | 'strict' | 'off';

export type RobotsDecision =
  /** `crawlDelayMs` is what the site asks for between two requests, undefined when it asks for nothing. */
  | { readonly kind: 'allowed'; readonly crawlDelayMs: number | undefined }
  /** `rule` is the line that says so, for a person. */
  | { readonly kind: 'disallowed'; readonly rule: string }
  /** It cannot be reached, and in mode `strict` that means no; but nobody said no. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** It was not asked for, and so nothing is known or remembered. */
  | NotAsked;

/** Robots.txt could not be reached, and what counts until it can. */
export interface RobotsWarning {
  readonly kind: 'robots_unreachable';
  readonly origin: string;
  readonly reason: string;
  readonly inForce: 'last_copy' | 'allow' | 'disallow';
}

export interface RobotsSettings {
  /** Default `allow`. */
  readonly mode: RobotsMode;
  /** Our product token, by which robots.txt names us: letters, `_` and `-`. Default `curlew`. */
  readonly agent: string;
  /** How long an answer counts. Default 24 h. */
  readonly maxAgeMs: number;
  /** How long it is not asked for again after it was unreachable. Default 5 min. */
  readonly unreachableAgeMs: number;
  /** How an unreachable one is tried again before it counts as such. Default: 3 attempts, after 2 s and 4 s. */
  readonly retry: RetrySettings;
}

const defaultRobotsSettings: RobotsSettings = {
  mode: 'allow',
  agent: 'curlew',
  maxAgeMs: 24 * 3_600_000,
  unreachableAgeMs: 5 * 60_000,
  retry: defaultRetrySettings,
};

export interface RobotsPolicyOptions {
  readonly getRobots: GetRobots;
  readonly store: RobotsStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings?: Partial<RobotsSettings>;
  /** Called once for every time it was unreachable, retries not counted. */
  readonly onWarning?: (warning: RobotsWarning) => void;
  /** Called for every record that comes into force here, fetched or stored by an earlier process. */
  readonly onInForce?: (origin: string, record: RobotsRecord) => void;
}

/** A record and what it says. `robots` is undefined when there is no text to go by. */
interface Known {
  readonly record: RobotsRecord;
  readonly robots: RobotsTxt | undefined;
}

/** Files that are kept at hand, and how much text they have together; the store has the rest. Read, one takes three times its text. */
const MAX_KNOWN = 256;
const MAX_KNOWN_CHARACTERS = 8 * 2 ** 20;
const ROBOTS_PATH = '/robots.txt';

export class RobotsPolicy {
  readonly #settings: RobotsSettings;
  readonly #store: RobotsStore;
  readonly #clock: Clock;
  readonly #loading: LoadRobotsOptions;
  readonly #onWarning: (warning: RobotsWarning) => void;
  readonly #onInForce: (origin: string, record: RobotsRecord) => void;
  readonly #flights = new SingleFlight<Known | NotAsked>();
  readonly #known = new Map<string, Known>();
  #knownCharacters = 0;

  /** Throws `invalid_parameter` when the agent is not a product token, for no robots.txt could name it. */
  constructor(options: RobotsPolicyOptions) {
    this.#settings = { ...defaultRobotsSettings, ...options.settings };
    this.#store = options.store;
    this.#clock = options.clock;
    const { getRobots, clock, random } = options;
    this.#loading = { getRobots, clock, random, retry: this.#settings.retry };
    this.#onWarning = options.onWarning ?? (() => {});
    this.#onInForce = options.onInForce ?? (() => {});
    const { agent } = this.#settings;
    if (!isProductToken(agent)) {
      throw new CurlewError(ErrorCode.invalidParameter, `The robots.txt agent '${agent}' is not a product token`, {
        remedy: 'Use letters, "_" and "-" only, without a version (RFC 9309 §2.2.1).',
      });
    }
  }

  /**
   * Decides about an http(s) URL, asking for its origin's robots.txt first where it is not known or too old. One that
   * could not be reached is too old if the host has come back since (`upSince`). Rejects with the signal's reason on
   * abort; other callers go on waiting.
   */
  async check(url: URL, signal: AbortSignal, upSince: Instant = 0): Promise<RobotsDecision> {
    // RFC 9309 §2.2.2: robots.txt itself is always allowed.
    if (this.#settings.mode === 'off' || url.pathname === ROBOTS_PATH) {
      return { kind: 'allowed', crawlDelayMs: undefined };
    }
    const known = await this.#knownOf(url.origin, signal, upSince);
    if ('failure' in known) return known;
    const { record, robots } = known;
    if (robots === undefined) {
      return record.kind === 'unreachable' && this.#settings.mode === 'strict'
        ? { kind: 'unreachable', reason: record.reason }
        : { kind: 'allowed', crawlDelayMs: undefined };
    }
    const { agent } = this.#settings;
    const verdict = robots.verdict(agent, foldEscapes(url.href));
    if (verdict.kind === 'disallowed') {
      return { kind: 'disallowed', rule: `${verdict.rule.text} (line ${verdict.rule.line})` };
    }
    const seconds = robots.crawlDelay(agent);
    return { kind: 'allowed', crawlDelayMs: seconds === undefined ? undefined : seconds * 1_000 };
  }

  async #knownOf(origin: string, signal: AbortSignal, upSince: Instant): Promise<Known | NotAsked> {
    const known = this.#known.get(origin);
    if (known !== undefined && this.#isFresh(known.record, upSince)) return known;
    return this.#flights.run(origin, signal, async (shared) => {
      const stored = await this.#store.get(origin);
      if (stored !== undefined && this.#isFresh(stored, upSince)) return this.#keep(origin, stored);
      const renewed = await this.#store.alone(origin, shared, async () => {
        // Somebody else may have asked while we waited to.
        const latest = await this.#store.get(origin);
        const isFresh = latest !== undefined && this.#isFresh(latest, upSince);
        return isFresh ? latest : this.#renew(origin, shared, upSince);
      });
      return renewed.kind === 'not_asked' ? renewed : this.#keep(origin, renewed);
    });
  }

  #isFresh({ kind, fetchedAt }: RobotsRecord, upSince: Instant): boolean {
    const ageMs = this.#clock.now() - fetchedAt;
    const { maxAgeMs, unreachableAgeMs } = this.#settings;
    // An age below zero means that the clock was set back: it tells nothing.
    if (ageMs < 0) return false;
    return kind === 'unreachable' ? ageMs < unreachableAgeMs && fetchedAt >= upSince : ageMs < maxAgeMs;
  }

  async #renew(origin: string, signal: AbortSignal, upSince: Instant): Promise<RobotsRecord | NotAsked> {
    const loaded = await loadRobots(origin, this.#loading, signal);
    if (loaded.kind === 'not_asked') return loaded;
    // Where this process stood still for too long, another has asked meanwhile: what it found counts more than our failure.
    const last = loaded.kind === 'unreachable' ? await this.#store.get(origin) : undefined;
    if (last !== undefined && this.#isFresh(last, upSince)) return last;
    const fetchedAt = this.#clock.now();
    // RFC 9309 §2.4: a copy may serve for more than a day only while the file is unreachable.
    const record: RobotsRecord =
      loaded.kind === 'unreachable' ? { ...loaded, fetchedAt, text: textOf(last) } : { ...loaded, fetchedAt };
    await this.#store.set(origin, record);
    if (record.kind === 'unreachable') {
      const withoutCopy = this.#settings.mode === 'strict' ? 'disallow' : 'allow';
      const inForce = record.text === undefined ? withoutCopy : 'last_copy';
      this.#onWarning({ kind: 'robots_unreachable', origin, reason: record.reason, inForce });
    }
    return record;
  }

  #keep(origin: string, record: RobotsRecord): Known {
    this.#onInForce(origin, record);
    const text = textOf(record);
    const known: Known = { record, robots: text === undefined ? undefined : parsed(text) };
    this.#forget(origin);
    this.#known.set(origin, known);
    this.#knownCharacters += text?.length ?? 0;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN && this.#knownCharacters <= MAX_KNOWN_CHARACTERS) break;
      this.#forget(oldest);
    }
    return known;
  }

  #forget(origin: string): void {
    this.#knownCharacters -= textOf(this.#known.get(origin)?.record)?.length ?? 0;
    this.#known.delete(origin);
  }
}

/** RFC 9309 §2.2.2 compares unreserved characters bare, as our URLs have them; the reference parser leaves that to us. */
function parsed(text: string): RobotsTxt {
  return parseRobots(foldEscapes(text));
}

function textOf(record: RobotsRecord | undefined): string | undefined {
  return record === undefined || record.kind === 'unavailable' ? undefined : record.text;
}
