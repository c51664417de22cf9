// Fetches a list of addresses, as a run of its own. Each address ends with one outcome, which is told when it is committed.

import { hash } from 'node:crypto';
import type { Outcome } from '../fetch/outcome.ts';
import type { ClaimedRequest } from '../ledger/page-result.ts';
import type { RunId, RunSummary } from '../ledger/run.ts';
import { systemClock } from '../platform/clock.ts';
import { CurlewError } from '../platform/errors.ts';
import type { Json } from '../platform/json.ts';
import { systemRandom } from '../platform/random.ts';
import { canonicalUrl } from '../scraper/canonical-url.ts';
import { defineScraper } from '../scraper/definition.ts';
import { type DataDirectory, openData } from './data-directory.ts';
import type { Engine } from './engine.ts';
import { LiveSource, type World } from './live-source.ts';
import type { Progress, RunProgress } from './progress.ts';
import { readSettings, type Settings, type SettingsInput } from './settings.ts';
import UrlList, { URL_LIST_FILE } from './url-list.ts';
import { describeOutcome, malformed, type UrlOutcome } from './url-outcome.ts';
import { UrlSource } from './url-source.ts';
import { Validators } from './validators.ts';
import { workRun } from './work-run.ts';

export interface FetchUrlsOptions extends SettingsInput {
  /** Directory of the ledger, the archive and the files. Made if need be. */
  readonly data: string;
  /** Ask for news only: what has not changed since it was last archived here is not sent again. */
  readonly fresh?: boolean;
  /** Called once for every address given, in the order in which they end. */
  readonly onOutcome: (outcome: UrlOutcome) => void;
  /** Parts of the world to be replaced, for tests. */
  readonly world?: World;
}

export interface FetchUrlsHandle {
  /** Resolves when all is done or it was stopped; undefined when there was nothing that can be asked for. */
  readonly summary: Promise<RunSummary | undefined>;
  /** Undefined until the first request can be made. */
  progress(): RunProgress | undefined;
  /** `gently` finishes what is on the wire; `now` does not. Either way the run can be resumed. */
  stop(how?: 'gently' | 'now'): void;
}

/** Who fetches a list of addresses waits for the outcome. */
const LIST_PATIENCE_MS = 60_000;

/** Longer addresses are taken for a mistake. */
const LONGEST_URL = 8_192;

export function fetchUrls(addresses: readonly string[], options: FetchUrlsOptions): FetchUrlsHandle {
  const control: { engine?: Engine; progress?: Progress; stop?: 'gently' | 'now' } = {};
  const { data: path, fresh = false, onOutcome, world = {}, ...given } = options;

  async function work(): Promise<RunSummary | undefined> {
    const settings = readSettings({ patienceMs: LIST_PATIENCE_MS, ...given });
    const asked = sort(addresses, settings.baseUrl, onOutcome);
    if (asked.size === 0) return undefined;
    const clock = world.clock ?? systemClock;
    const data = await openData(path, { clock, disk: world.disk });
    data.ledger.setDurability(settings.durability);
    const validators = fresh ? new Validators(data) : undefined;
    try {
      const run = await createRun(data, [...asked.keys()], settings);
      const telling = new Telling(data, run, asked, onOutcome);
      const summary = await workRun({
        data,
        run,
        definition: defineScraper(new UrlList()),
        settings,
        archives: true,
        openSource: async () =>
          new UrlSource({
            live: await LiveSource.open(data, run, settings, world),
            prepare: async (request) => validators?.addTo(request) ?? request,
            onFinal: (request, outcome, attempts) => telling.note(request, outcome, attempts),
          }),
        clock,
        random: world.random ?? systemRandom,
        onStarted(engine, progress) {
          Object.assign(control, { engine, progress });
          if (control.stop !== undefined) engine.stop(control.stop);
        },
        onCommitted: () => telling.tell(),
      });
      await telling.end();
      return summary;
    } finally {
      await validators?.close();
      await data.ledger.close();
    }
  }

  return {
    summary: work(),
    progress: () => control.progress,
    stop(how = 'gently') {
      control.stop = how;
      control.engine?.stop(how);
    },
  };
}

/** Canonical address → as it was given, once or several times. What is no address is told at once. */
function sort(
  addresses: readonly string[],
  base: string | undefined,
  onOutcome: (outcome: UrlOutcome) => void,
): Map<string, string[]> {
  const asked = new Map<string, string[]>();
  for (const given of addresses) {
    try {
      const url = canonicalUrl(given, base);
      if (url.length > LONGEST_URL) {
        onOutcome(malformed(given, `it is ${url.length} characters long, more than ${LONGEST_URL}`));
        continue;
      }
      const spellings = asked.get(url);
      if (spellings === undefined) asked.set(url, [given]);
      else spellings.push(given);
    } catch (error) {
      if (!(error instanceof CurlewError)) throw error;
      onOutcome(malformed(given, [error.message, error.remedy].filter(Boolean).join('. ')));
    }
  }
  return asked;
}

async function createRun(data: DataDirectory, urls: readonly string[], settings: Settings): Promise<RunId> {
  // The proxy may hold a password, and is given anew to a resume.
  const { proxy: _, ...saved } = settings;
  // Runs of the same list are compared with each other, and no others.
  const params = { entries: {}, list: hash('sha256', urls.join('\n')) };
  const run = {
    kind: 'fetch',
    trigger: 'cli',
    name: 'fetch',
    source: URL_LIST_FILE,
    params,
    replayOf: undefined,
  } as const;
  return data.ledger.createRun({ ...run, settings: JSON.parse(JSON.stringify(saved)) as Json }, [
    { entry: 'urls', params: { urls } },
  ]);
}

/** Holds outcomes back until the ledger has them. */
class Telling {
  readonly #data: DataDirectory;
  readonly #run: RunId;
  readonly #asked: ReadonlyMap<string, readonly string[]>;
  readonly #onOutcome: (outcome: UrlOutcome) => void;
  readonly #noted = new Map<ClaimedRequest, UrlOutcome>();
  #told: Promise<void> = Promise.resolve();

  constructor(
    data: DataDirectory,
    run: RunId,
    asked: ReadonlyMap<string, readonly string[]>,
    onOutcome: (outcome: UrlOutcome) => void,
  ) {
    this.#data = data;
    this.#run = run;
    this.#asked = asked;
    this.#onOutcome = onOutcome;
  }

  note(request: ClaimedRequest, outcome: Outcome, attempts: number): void {
    this.#noted.set(request, describeOutcome(request.spec.url, outcome, attempts));
  }

  /** Tells what has been committed. */
  tell(): void {
    this.#told = this.#told.then(() => this.#tellCommitted());
    this.#told.catch(() => {}); // It comes out of `end`.
  }

  /** Resolves when all that was committed has been told. */
  async end(): Promise<void> {
    this.tell();
    await this.#told;
  }

  async #tellCommitted(): Promise<void> {
    for (const [request, outcome] of this.#noted) {
      const fate = await this.#data.ledger.fateOf(this.#run, request.identity);
      if (fate?.verdict === undefined) continue;
      this.#noted.delete(request);
      for (const url of this.#asked.get(request.spec.url) ?? []) this.#onOutcome({ ...outcome, url });
    }
  }
}
