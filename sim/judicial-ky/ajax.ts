// The AJAX call that gives a file's address. It wants what the page's script sends: the session cookie, a good nonce,
// the headers of a script on this site, and exactly the token and number of one button. Else it says what WordPress says.

import { jsonReply, type Reply, type SimRequest } from '../reply.ts';
import type { SiteParts } from './site-handler.ts';
import type { SwitchName } from './switches.ts';

export function ajaxReply(parts: SiteParts, request: SimRequest, quirk: SwitchName | undefined): Reply {
  const { corpus, gate, urls, boxUrl } = parts;
  const form = new URLSearchParams(request.body);
  if (request.method !== 'POST' || form.get('action') !== 'dl_bfile') return wordPressReply(400, '0');
  if (quirk === 'nonce-rotated') gate.rotateNonce();
  if (quirk === 'cookie-lost') gate.forget(request);
  const isAllowed = isFromPage(request) && gate.knows(request) && gate.isGoodNonce(form.get('security') ?? '');
  if (!isAllowed) return wordPressReply(parts.settings().refusalStatus, '-1');
  const { token, fid } = corpus.find(form.get('fname') ?? '') ?? {};
  if (token === undefined || !parts.edition().tokens.has(token) || fid !== form.get('fid')) {
    return jsonReply(200, { success: false, data: 'File not found.' });
  }
  const url = boxUrl + urls.issue(token, quirk === 'url-expired' ? 0 : parts.settings().urlLifeMs);
  return { ...jsonReply(200, {}), body: `{"success":true,"data":{"fid":"${url.replaceAll('/', '\\/')}"}}` };
}

/** Whether it comes from a script on a page of this site. */
function isFromPage({ headers }: SimRequest): boolean {
  const own = `http://${headers.host}`;
  return (
    headers['x-requested-with'] === 'XMLHttpRequest' &&
    headers.origin === own &&
    headers.referer?.startsWith(`${own}/`) === true
  );
}

function wordPressReply(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=UTF-8' }, body };
}
