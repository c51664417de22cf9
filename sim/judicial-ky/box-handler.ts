// Box: the file behind a signed address, as long as the address lives. Every address it did not sign is 404.

import { createHash } from 'node:crypto';
import { rangeReply } from '../range-reply.ts';
import { type Handler, statusReply } from '../reply.ts';
import type { SignedUrls } from '../signed-urls.ts';
import type { Corpus } from './corpus.ts';
import type { JudicialKySettings } from './settings.ts';
import { parseSwitchName } from './switches.ts';

export interface BoxParts {
  readonly corpus: Corpus;
  readonly urls: SignedUrls;
  readonly settings: () => JudicialKySettings;
}

/** In the query of the second address, after a redirect. */
const REDIRECTED = 'rd=1';

export function boxHandler({ corpus, urls, settings }: BoxParts): Handler {
  return (request, name) => {
    const quirk = name === undefined ? undefined : parseSwitchName(name);
    const { method, pathname, search } = request;
    if (method !== 'GET' && method !== 'HEAD') return statusReply(405, { allow: 'GET, HEAD' });
    const signed = urls.read(pathname);
    if (signed === undefined) return statusReply(404);
    if (signed.isExpired) return statusReply(settings().expiredStatus);
    if (quirk === 'pdf-redirect' && search !== REDIRECTED) {
      return statusReply(302, { location: `${pathname}?${REDIRECTED}` });
    }
    const whole = corpus.pdf(signed.token);
    const file = fileReply(signed.token, quirk === 'pdf-half' ? whole.subarray(0, whole.length / 2) : whole);
    // Whatever the address: the validator is the file's.
    if (request.headers['if-none-match'] === file.headers.etag) return statusReply(304, { etag: file.headers.etag });
    return rangeReply(request, file);
  };
}

function fileReply(token: string, body: Buffer) {
  const headers = {
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="${token}.pdf"`,
    etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`,
  };
  return { status: 200, headers, body };
}
