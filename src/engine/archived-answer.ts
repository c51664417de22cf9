// One archived answer of a run, looked up by its address, as the step got it.

import { join } from 'node:path';
import { ArchiveReader } from '../archive/archive-reader.ts';
import { systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { canonicalUrl } from '../scraper/canonical-url.ts';
import { Page } from '../scraper/page/page.ts';
import { SavedFile } from '../scraper/page/saved-file.ts';
import { findDownloadFault } from './check-download.ts';
import { openData } from './data-directory.ts';
import { readExchange } from './read-exchange.ts';
import { readSettings } from './settings.ts';

/** Which answer of which run. */
export interface ArchivedAddress {
  /** The data directory. */
  readonly data: string;
  /** Number of the run, or `latest`. */
  readonly run: number | 'latest';
  /** Of the request or, after redirects, of the answer. */
  readonly url: string;
}

/**
 * A page, or a download with the place of its file. Throws `not_in_archive` when the run has no answer from there, and
 * `archive_damaged` when what is stored is not what was received.
 */
export async function archivedAnswer({ data: path, run, url }: ArchivedAddress): Promise<Page | SavedFile> {
  const address = canonicalUrl(url);
  const data = await openData(path, { clock: systemClock, readOnly: true });
  const reader = new ArchiveReader(data.archive);
  try {
    const { id, settings } = await data.ledger.run(run);
    const request = await data.ledger.requestAt(id, address);
    const exchange = request === undefined ? undefined : (await data.ledger.exchangesOf(request)).at(-1);
    if (exchange === undefined) throw notArchived(id, address, request !== undefined);
    const answer = await readExchange(data, reader, exchange, readSettings(settings).maxPageBytes);
    const { body, status, responseHeaders: headers } = answer;
    const common = { url: answer.url, requestUrl: address, status, headers };
    if (body.kind === 'file') {
      const fault = await findDownloadFault(data.files, exchange, data.disk);
      if (fault !== undefined) throw damagedDownload(fault);
      return new SavedFile({ ...common, ...body, path: join(data.files, body.path) });
    }
    const archivedAs = `sha256:${Buffer.from(exchange.bodySha256).toString('hex')}`;
    return new Page({ ...common, body: body.decoded, archivedAs });
  } finally {
    await reader.close();
    await data.ledger.close();
  }
}

function damagedDownload(fault: string): CurlewError {
  return new CurlewError(ErrorCode.archiveDamaged, fault, {
    remedy: 'Restore the file from a backup, or download it again.',
  });
}

function notArchived(run: number, url: string, asked: boolean): CurlewError {
  const why = asked ? 'has no answer from' : 'never asked for';
  return new CurlewError(ErrorCode.notInArchive, `Run ${run} ${why} ${url}`, {
    remedy: 'Name an address as curlew show or curlew records print it.',
  });
}
