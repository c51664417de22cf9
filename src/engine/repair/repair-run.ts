// Fetches again what is damaged in the archive of a run, through the same pipeline and as the same requests, one after the
// other. Each is committed for itself: whoever is killed in the middle has repaired what came before.

import { ArchiveReader } from '../../archive/archive-reader.ts';
import { ArchiveWriter } from '../../archive/archive-writer.ts';
import { cutTails } from '../../archive/cut-tails.ts';
import { Heartbeat } from '../../fetch/heartbeat.ts';
import type { Outcome } from '../../fetch/outcome.ts';
import type { Patience } from '../../fetch/patience.ts';
import { decideRetry } from '../../fetch/politeness/retry-policy.ts';
import type { StoredExchange } from '../../ledger/exchange-table.ts';
import type { RepairedRequest, RepairWriter } from '../../ledger/fixity/repair-writer.ts';
import type { ClaimedRequest, ExchangeId, NewExchange, RequestId } from '../../ledger/page-result.ts';
import type { RunId } from '../../ledger/run.ts';
import { redactRequest } from '../../observe/redact-request.ts';
import { systemClock } from '../../platform/clock.ts';
import { crashPoint } from '../../platform/crash-point.ts';
import { systemRandom } from '../../platform/random.ts';
import { findDownloadFault } from '../check-download.ts';
import type { DataDirectory } from '../data-directory.ts';
import { KnownBodies, type KnownBody } from '../known-bodies.ts';
import { LiveSource } from '../live-source.ts';
import { shortSegments } from '../lost-bytes.ts';
import { placeExchange, prepareExchange } from '../prepare-exchange.ts';
import { hostOf } from '../resolve-request.ts';
import { readSettings, type Settings, type SettingsInput } from '../settings.ts';
import { checkExchange, checkResponse } from '../verify/check-exchange.ts';
import { isSame, judgeAnswer } from './judge-answer.ts';
import type { Repair } from './repair.ts';

/** Which exchanges of which requests are damaged. */
export type DamagedRequests = ReadonlyMap<RequestId, ReadonlySet<ExchangeId>>;

/** A host that does not answer is asked so often, with the pauses of its breaker between. */
const MOST_ATTEMPTS = 3;
/** Who repairs waits for the outcome. */
const REPAIR_PATIENCE_MS = 60_000;

/** Tells of each request when it is done with. Throws `run_owned` when a process works on the run. */
export async function repairRun(
  data: DataDirectory,
  run: RunId,
  damaged: DamagedRequests,
  given: SettingsInput,
  patience: Patience,
  onRepair: (repair: Repair) => void,
): Promise<void> {
  const begun = await data.ledger.run(run);
  const settings = readSettings({ ...(begun.settings as object), patienceMs: REPAIR_PATIENCE_MS, ...given });
  const writer = await data.ledger.takeForRepair(run);
  try {
    await cutCrashedTails(data, run);
    // What the run has reached long ago may be down now: the patience begins anew.
    const source = await LiveSource.open(data, run, settings, { begunAt: systemClock.now() });
    const heart = new Heartbeat(writer, source, patience, systemClock);
    await heart.during(async (whole) => {
      const repairer = await Repairer.open(data, writer, source, settings);
      try {
        for (const [request, ids] of damaged) {
          whole.stop.throwIfAborted();
          onRepair({ run, request, ...(await repairer.repair(request, ids, whole)) });
        }
      } finally {
        await repairer.close();
      }
    });
    const short = await shortSegments(data, await data.ledger.segmentsOf(run));
    await cutTails(data.archive, await endsOf(data, run, await writer.giveUpTails(short)), data.disk);
  } finally {
    await writer.release();
  }
}

/** What a repair that was killed has written and not committed. */
async function cutCrashedTails(data: DataDirectory, run: RunId): Promise<void> {
  const segments = await data.ledger.segmentsOf(run);
  const short = new Set((await shortSegments(data, segments)).map(({ segment }) => segment));
  await cutTails(
    data.archive,
    segments.filter(({ segment }) => !short.has(segment)),
    data.disk,
  );
}

async function endsOf({ ledger }: DataDirectory, run: RunId, which: readonly { readonly segment: number }[]) {
  const wanted = new Set(which.map(({ segment }) => segment));
  return (await ledger.segmentsOf(run)).filter(({ segment }) => wanted.has(segment));
}

class Repairer {
  readonly #data: DataDirectory;
  readonly #writer: RepairWriter;
  readonly #source: LiveSource;
  readonly #settings: Settings;
  readonly #archive: ArchiveWriter;
  readonly #bodies: KnownBodies;
  /** By host: why it is taken to be down. */
  readonly #down = new Map<string, string>();

  private constructor(
    data: DataDirectory,
    writer: RepairWriter,
    source: LiveSource,
    settings: Settings,
    archive: ArchiveWriter,
  ) {
    this.#data = data;
    this.#writer = writer;
    this.#source = source;
    this.#settings = settings;
    this.#archive = archive;
    this.#bodies = new KnownBodies(data);
  }

  static async open(data: DataDirectory, writer: RepairWriter, source: LiveSource, settings: Settings) {
    const allocateSegment = () => writer.addSegment();
    const archive = await ArchiveWriter.open(data.archive, { allocateSegment, files: data.disk });
    return new Repairer(data, writer, source, settings, archive);
  }

  async close(): Promise<void> {
    await this.#bodies.close();
    await this.#archive.close();
  }

  async repair(
    id: RequestId,
    ids: ReadonlySet<ExchangeId>,
    patience: Patience,
  ): Promise<Pick<Repair, 'kind' | 'why' | 'url'>> {
    const request = await this.#data.ledger.request(id);
    if (request === undefined) return { kind: 'failed', url: `request ${id}`, why: 'its request is not in the ledger' };
    const { url } = request.spec;
    const all = await this.#data.ledger.exchangesOf(id);
    const kept = all.filter(({ lost }) => lost === undefined);
    const damaged = await this.#stillDamaged(kept.filter((exchange) => ids.has(exchange.id)));
    // Those whose place a different answer has taken.
    const open = all.filter(
      ({ id, lost, replacedBy }) => ids.has(id) && lost !== undefined && replacedBy === undefined,
    );
    if (damaged.length + open.length === 0) return { kind: 'repaired', url, why: 'its bytes are there again' };
    const before = kept.slice(kept.findLastIndex(({ hop }) => hop === 0));
    const wanted = [...damaged.filter((exchange) => before.includes(exchange)), ...open];
    if (wanted.length === 0) {
      const why = 'it was an attempt before the answer that counts';
      await this.#commit({ request: id, reason: 'damaged', different: [], exchanges: [] }, damaged, 'given_up');
      return { kind: 'given_up', url, why };
    }
    const outcome = await this.#fetch(request, patience);
    const { kind, why, isKept } = judgeAnswer(outcome, before, wanted);
    if (!isKept) return { kind, url, why };
    const exchanges = await this.#write(outcome, damaged);
    crashPoint('before-commit');
    const different = wanted.filter((old) => !outcome.exchanges.some((fresh) => isSame(old, fresh)));
    const reason = kind === 'changed' ? 'damaged, and replaced by a different answer' : 'damaged';
    await this.#commit({ request: id, reason, different, exchanges }, damaged, kind);
    crashPoint('after-commit');
    return { kind, url, why };
  }

  /** A host that did not answer one request is not asked for the others: the next repair does that. */
  async #fetch(request: ClaimedRequest, patience: Patience): Promise<Outcome> {
    const host = hostOf(request.spec.url);
    const reason = this.#down.get(host);
    if (reason !== undefined) return { kind: 'unreached', reason, exchanges: [] };
    const outcome = await this.#tryToFetch(request, patience);
    if (outcome.kind === 'site_wide' || outcome.kind === 'unreached') this.#down.set(host, outcome.reason);
    return outcome;
  }

  async #tryToFetch(request: ClaimedRequest, patience: Patience): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#source.answer(request, patience);
      const isFinal =
        outcome.kind === 'url_specific'
          ? !outcome.retriable
          : outcome.kind !== 'rate_limited' && outcome.kind !== 'site_wide';
      if (isFinal || attempt >= MOST_ATTEMPTS) return outcome;
      const retry = decideRetry(attempt, systemRandom);
      if (outcome.kind === 'url_specific' && retry.kind === 'retry') {
        await systemClock.sleep(retry.delayMs, patience.stop);
      }
    }
  }

  async #write(outcome: Outcome, damaged: readonly StoredExchange[]): Promise<NewExchange[]> {
    const bodies = this.#bodiesBeside(damaged);
    const placed: NewExchange[] = [];
    for (const exchange of outcome.exchanges) {
      const told = this.#settings.redactArchive ? redactRequest(exchange) : exchange;
      const { encoded, facts } = prepareExchange(told, bodies, systemRandom);
      const body = await encoded;
      placed.push(placeExchange(facts, body, this.#archive.append(body.bytes)));
    }
    await this.#archive.flush({ sync: true });
    crashPoint('after-archive');
    return placed;
  }

  /** What is about to be marked as lost is not referred to, although its body may be whole: another part of it is not. */
  #bodiesBeside(damaged: readonly StoredExchange[]): Pick<KnownBodies, 'find'> {
    const ids = new Set(damaged.map(({ id }) => id));
    const beside = (known: KnownBody): KnownBody => {
      return known.kind === 'whole' && ids.has(known.exchange.id) ? { kind: 'damaged', id: known.exchange.id } : known;
    };
    return {
      find: (sha256) => {
        const known = this.#bodies.find(sha256);
        return known instanceof Promise ? known.then(beside) : known && beside(known);
      },
    };
  }

  /** What is sound again, such as a download whose file was put back, is not marked. */
  async #commit(
    repaired: Omit<RepairedRequest, 'lost' | 'event'>,
    damaged: readonly StoredExchange[],
    result: Repair['kind'],
  ): Promise<void> {
    const lost = await this.#stillDamaged(damaged);
    const different = repaired.different.filter((old) => old.lost !== undefined || lost.includes(old));
    const data = { result, lost: lost.map(({ id }) => id) };
    await this.#writer.commit({ ...repaired, different, lost, event: { kind: 'repaired', data } });
  }

  async #stillDamaged(exchanges: readonly StoredExchange[]): Promise<StoredExchange[]> {
    const { archive, disk } = this.#data;
    const reader = new ArchiveReader(archive, disk);
    try {
      const damaged: StoredExchange[] = [];
      for (const exchange of exchanges) if (await this.#isDamaged(reader, exchange)) damaged.push(exchange);
      return damaged;
    } finally {
      await reader.close();
    }
  }

  async #isDamaged(reader: ArchiveReader, exchange: StoredExchange): Promise<boolean> {
    const { ledger, files, disk } = this.#data;
    if ((await checkExchange(reader, exchange)).faults.length > 0) return true;
    if (exchange.filePath !== undefined) return (await findDownloadFault(files, exchange, disk)) !== undefined;
    if (exchange.revisitOf === undefined) return false;
    const original = await ledger.exchange(exchange.revisitOf);
    if (original === undefined || original.lost !== undefined || original.revisitOf !== undefined) return true;
    if (!Buffer.from(original.bodySha256).equals(exchange.bodySha256)) return true;
    return (await checkResponse(reader, original)).fault !== undefined;
  }
}
