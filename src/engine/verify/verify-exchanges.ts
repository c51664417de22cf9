// Every exchange of the ledger: its records, the body that it repeats, the file that came with it, and whether anything lies
// between the records of a segment. In the order of the rows, which is that of the bytes.

import { join } from 'node:path';
import { ArchiveReader } from '../../archive/archive-reader.ts';
import type { ArchivedHead, ArchivedRequest } from '../../archive/archived-message.ts';
import type { FileState } from '../../archive/check-file.ts';
import { segmentName } from '../../archive/segment-name.ts';
import type { HeldExchange, HeldRequest } from '../../ledger/fixity/fixity-ledger.ts';
import type { ExchangeId } from '../../ledger/page-result.ts';
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';
import { checkDownload } from '../check-download.ts';
import { checkExchange, checkResponse, type RecordFault } from './check-exchange.ts';
import { firstHopFault, redirectFault } from './check-owner.ts';
import { fileFinding } from './file-finding.ts';
import type { ExchangePlace, Finding } from './finding.ts';
import { Remembered } from './remembered.ts';
import { scanStretch } from './scan-stretch.ts';
import type { VerifyContext } from './verify-data.ts';
import type { SegmentCovers } from './verify-segments.ts';

const AT_ONCE = 500;
/** What was found of bodies and files that others refer to as well. */
const MOST_REMEMBERED = 50_000;

export async function* verifyExchanges(context: VerifyContext, covers: SegmentCovers): AsyncGenerator<Finding> {
  const { ledger, run, checked, takes, isSampled } = context;
  const walk = new ExchangeWalk(context);
  try {
    for (let after = 0; ; ) {
      const page = ledger.exchangesAfter(after, run, AT_ONCE);
      for (const exchange of page) {
        if (!isSampled) {
          if (sharesBytes(context, exchange, covers)) yield sharedFinding(exchange);
          yield* gapBefore(context, exchange, covers);
        }
        if (exchange.isOpenLoss) yield replacedFinding(exchange);
        else if (exchange.lost !== undefined)
          checked.known[exchange.replacedBy === undefined ? 'givenUp' : 'replaced']++;
        if (exchange.lost !== undefined || !takes()) continue;
        yield* walk.check(exchange);
        checked.exchanges.checked++;
      }
      after = page.at(-1)?.id ?? after;
      if (page.length < AT_ONCE) break;
    }
  } finally {
    await walk.close();
  }
  if (isSampled) return;
  for (const [segment, { covered, end }] of covers) yield* gap(context, covers, segment, covered, end);
}

/** Rows come in the order of their bytes: only one that begins before the end of another can have the same. */
function sharesBytes({ ledger }: VerifyContext, exchange: HeldExchange, covers: SegmentCovers): boolean {
  const cover = covers.get(exchange.segment);
  return cover !== undefined && exchange.requestOffset < cover.covered && ledger.sharesBytes(exchange);
}

/** What lies between the record before and this one. */
async function* gapBefore(
  context: VerifyContext,
  { segment, requestOffset, responseOffset, responseLength }: HeldExchange,
  covers: SegmentCovers,
): AsyncGenerator<Finding> {
  const cover = covers.get(segment);
  if (cover === undefined) return;
  if (requestOffset > cover.covered) yield* gap(context, covers, segment, cover.covered, requestOffset);
  cover.covered = Math.max(cover.covered, responseOffset + responseLength);
}

async function* gap(
  { path: data, ledger }: VerifyContext,
  covers: SegmentCovers,
  segment: number,
  from: number,
  end: number,
): AsyncGenerator<Finding> {
  const cover = covers.get(segment);
  const to = Math.min(end, cover?.end ?? 0);
  const isReferredTo = (offset: number) => ledger.refersTo(segment, offset);
  if (from < to) yield* scanStretch({ data, segment, run: cover?.run, from, to, isReferredTo });
}

/** Checks one exchange after the other. */
export class ExchangeWalk {
  readonly #context: VerifyContext;
  readonly #reader: ArchiveReader;
  /** By exchange that holds a body: what is wrong with it; empty when nothing is. */
  readonly #bodies = new Remembered<ExchangeId, string>(MOST_REMEMBERED);
  /** The answer before, which the next may be redirected from. */
  #last: { readonly id: ExchangeId; readonly head: ArchivedHead } | undefined;
  readonly #files = new Remembered<string, FileState>(MOST_REMEMBERED);

  constructor(context: VerifyContext) {
    this.#context = context;
    this.#reader = new ArchiveReader(join(context.path, 'archive'));
  }

  async *check(exchange: HeldExchange): AsyncGenerator<Finding> {
    const { faults, request, response: head } = await checkExchange(this.#reader, exchange);
    for (const fault of faults) yield recordFinding(exchange, fault);
    if (request !== undefined && head !== undefined) {
      const problem = await this.#ownerFault(exchange, request);
      if (problem !== undefined) yield ownerFinding(exchange, problem);
      this.#last = { id: exchange.id, head };
    }
    const response = faults.find(({ which }) => which === 'response');
    if (exchange.revisitOf !== undefined) {
      const problem = await this.#bodyFault(exchange, exchange.revisitOf);
      if (problem !== undefined) yield referenceFinding(exchange, problem);
    } else if (exchange.filePath === undefined) this.#bodies.set(exchange.id, response?.problem ?? '');
    else yield* this.#checkFile(exchange, exchange.filePath);
  }

  async close(): Promise<void> {
    await this.#reader.close();
  }

  /** Why its request cannot have led to this exchange, as a sentence. */
  async #ownerFault(exchange: HeldExchange, archived: ArchivedRequest): Promise<string | undefined> {
    const { ledger } = this.#context;
    let request: HeldRequest | undefined;
    try {
      request = ledger.request(exchange.requestId);
    } catch (error) {
      if (!(error instanceof CurlewError) || error.code !== ErrorCode.ledgerCorrupt) throw error;
      return messageOf(error).replace(/\.$/, '');
    }
    if (request === undefined || request.via === 'browser') return undefined;
    // The opening of a session and the ticket of a signed download stand among the exchanges of their request.
    if (request.session !== undefined || request.signed !== undefined || request.values !== undefined) return undefined;
    if (exchange.hop === 0) return firstHopFault(request, archived);
    const before = ledger.hopBefore(exchange);
    if (before === undefined) return 'It was redirected to, and the redirect is not in the ledger';
    if (before.lost !== undefined) return undefined;
    const head = this.#last?.id === before.id ? this.#last.head : (await checkResponse(this.#reader, before)).message;
    return head && redirectFault(head, archived);
  }

  /** Why the body of a repetition cannot be read, as a sentence. */
  async #bodyFault({ bodySha256 }: HeldExchange, id: ExchangeId): Promise<string | undefined> {
    const original = this.#context.ledger.exchange(id);
    if (original === undefined) return `Its body is in exchange ${id}, which is not in the ledger`;
    if (original.lost !== undefined) return `Its body is in exchange ${id}, which is lost: ${original.lost}`;
    if (original.revisitOf !== undefined || original.filePath !== undefined) {
      return `Its body is said to be in exchange ${id}, which holds none itself`;
    }
    if (!Buffer.from(original.bodySha256).equals(bodySha256)) {
      return `Its body is said to be in exchange ${id}, which holds another one`;
    }
    const known = this.#bodies.get(id);
    const problem = known ?? (await checkResponse(this.#reader, original)).fault?.problem ?? '';
    this.#bodies.set(id, problem);
    return problem === '' ? undefined : `Its body is in exchange ${id} (${original.url}), which is damaged: ${problem}`;
  }

  async *#checkFile(exchange: HeldExchange, filePath: string): AsyncGenerator<Finding> {
    const { checked, path } = this.#context;
    // Rows of one file may say different things of it.
    const key = `${Buffer.from(exchange.bodySha256).toString('hex')} ${exchange.bodySize} ${filePath}`;
    const state = this.#files.get(key) ?? (await checkDownload(join(path, 'files'), exchange));
    this.#files.set(key, state);
    checked.downloads.checked++;
    const { run, url: of, id } = exchange;
    const finding = fileFinding(state, { path: `files/${filePath}`, run, of, exchange: id });
    if (finding !== undefined) yield finding;
  }
}

function recordFinding(exchange: HeldExchange, { kind, at, problem }: RecordFault): Finding {
  const remedy = `Restore archive/${segmentName(at.segment)} from a backup, or fetch ${exchange.url} again.`;
  return { kind, ...placeOf(exchange), offset: at.offset, length: at.length, problem, remedy };
}

const RESTORE_LEDGER = 'A row was changed. Restore ledger.sqlite from a backup.';

function ownerFinding(exchange: HeldExchange, problem: string): Finding {
  return { kind: 'request_mismatch', ...placeOf(exchange), problem, remedy: RESTORE_LEDGER };
}

function sharedFinding(exchange: HeldExchange): Finding {
  const problem = `Exchange ${exchange.id} refers to bytes that an earlier exchange refers to`;
  return { kind: 'bytes_shared', ...placeOf(exchange), problem, remedy: RESTORE_LEDGER };
}

/** A loss that nobody has accepted. */
export function replacedFinding(exchange: HeldExchange): Finding {
  const problem = 'It was damaged, and is replaced by a different answer that the site sent when it was fetched again';
  const remedy = 'Try curlew verify --repair again later. If the old page is gone for good: curlew verify --accept.';
  return { kind: 'answer_replaced', ...placeOf(exchange), problem, remedy };
}

function referenceFinding(exchange: HeldExchange, problem: string): Finding {
  const remedy = `Fetch ${exchange.url} again: if the same body comes, this one can be read again too.`;
  return { kind: 'body_reference_broken', ...placeOf(exchange), problem, remedy };
}

function placeOf(exchange: HeldExchange): ExchangePlace {
  const { url, run, requestId: request, id, segment, responseOffset: offset, responseLength: length } = exchange;
  return { url, run, request, exchange: id, segment, offset, length };
}
