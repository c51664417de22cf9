// Answers from the archive of an earlier run, and from nothing else: nothing here can open a connection. What that run
// never asked for, or never got an answer to, is unknown here too.

import { ArchiveReader } from '../archive/archive-reader.ts';
import { UNMATCHED_HEADER } from '../fetch/browser/unmatched-header.ts';
import { headerValue } from '../fetch/http/header-list.ts';
import type { HeaderList, Outcome } from '../fetch/outcome.ts';
import type { StoredExchange } from '../ledger/exchange-table.ts';
import type { ClaimedRequest } from '../ledger/page-result.ts';
import type { RequestSpec } from '../ledger/request-spec.ts';
import type { RequestFate } from '../ledger/request-table.ts';
import type { RunId } from '../ledger/run.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { AnswerSource } from './answer-source.ts';
import { findDownloadFault } from './check-download.ts';
import type { DataDirectory } from './data-directory.ts';
import { readExchange } from './read-exchange.ts';
import { expiredReason } from './session/asked.ts';
import { hasExpired } from './session/has-expired.ts';
import type { Settings } from './settings.ts';

export class ArchiveSource implements AnswerSource {
  readonly #data: DataDirectory;
  readonly #run: RunId;
  readonly #settings: Settings;
  readonly #definition: ScraperDefinition;
  readonly #reader: ArchiveReader;

  constructor(data: DataDirectory, run: RunId, settings: Settings, definition: ScraperDefinition) {
    this.#data = data;
    this.#run = run;
    this.#settings = settings;
    this.#definition = definition;
    this.#reader = new ArchiveReader(data.archive, data.disk);
  }

  async answer({ identity, spec }: ClaimedRequest): Promise<Outcome> {
    const fate = await this.#data.ledger.fateOf(this.#run, identity);
    if (fate === undefined) return unknown(`run ${this.#run} never asked for it`);
    const final = (await this.#data.ledger.exchangesOf(fate.id)).at(-1);
    if (final !== undefined && final.status >= 200 && final.status < 300) {
      const read = await this.#read(final);
      if (read.kind !== 'ok') return read;
      // What the archive was not given is no answer to a step. A page in the browser that lacked what it was waited for is none
      // now either, unless the author waits for another.
      const { responseHeaders, body } = read.response;
      const isWithheld = body.kind === 'memory' && body.withheld !== undefined;
      return isWithheld || lacks(responseHeaders, spec) ? pageless(fate) : this.#looked(read, spec);
    }
    return pageless(fate);
  }

  /** An answer that says that its session is over is no page: the run was told so as well, and asked again in vain. */
  #looked(answer: Extract<Outcome, { kind: 'ok' }>, { session: name = '', url }: RequestSpec): Outcome {
    const session = this.#definition.sessions.get(name);
    if (session === undefined) return answer;
    const looked = hasExpired(this.#definition, session, name, answer, url, this.#settings.stepTimeoutMs);
    if (looked.kind === 'value' && !looked.value) return answer;
    const reason = looked.kind === 'failed' ? looked.reason : expiredReason(name, answer.response.status);
    const verdict = looked.kind === 'failed' ? 'failed' : 'blocked';
    return { kind: 'url_specific', exchanges: [], status: answer.response.status, reason, retriable: false, verdict };
  }

  /** A page or file that is damaged is one that cannot be answered with; the others still can. */
  async #read(exchange: StoredExchange): Promise<Outcome> {
    try {
      const response = await readExchange(this.#data, this.#reader, exchange, this.#settings.maxPageBytes);
      const { files, disk } = this.#data;
      const fault = response.body.kind === 'file' ? await findDownloadFault(files, exchange, disk) : undefined;
      if (fault !== undefined) return unreadable(fault);
      return { kind: 'ok', exchanges: [], response };
    } catch (error) {
      if (error instanceof CurlewError && error.code === ErrorCode.archiveDamaged) return unreadable(error.message);
      throw error;
    }
  }

  takeUnsaved(): undefined {}

  watch(): void {}

  waits(): [] {
    return [];
  }

  async close(): Promise<void> {
    await this.#reader.close();
  }
}

function lacks(headers: HeaderList, { via, waitFor }: RequestSpec): boolean {
  if (via !== 'browser' || waitFor === undefined) return false;
  return headerValue(headers, UNMATCHED_HEADER) === encodeURIComponent(waitFor);
}

/** The same fate as in the run that is replayed. */
function pageless({ verdict, status, reason = 'no answer' }: RequestFate): Outcome {
  switch (verdict) {
    case 'skipped':
      return { kind: 'skipped', exchanges: [], reason };
    case 'absent':
    case 'blocked':
    case 'failed':
      return {
        kind: 'url_specific',
        exchanges: [],
        status,
        reason,
        retriable: false,
        ...(verdict !== 'absent' && { verdict }),
      };
    case 'done':
    case 'unknown':
    case undefined:
      return unknown(reason);
  }
}

function unknown(reason: string): Outcome {
  return unreadable(`not in the archive: ${reason}`);
}

function unreadable(reason: string): Outcome {
  return { kind: 'url_specific', exchanges: [], status: undefined, reason, retriable: true };
}
