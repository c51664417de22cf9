// Whether a request can have led to an exchange: the first is what it asks for, each further one is where the answer before
// redirects to. Pure. What a browser loads is not for here: scripts may lead anywhere.

import type { ArchivedHead, ArchivedRequest } from '../../archive/archived-message.ts';
import { decideRedirect } from '../../fetch/http/redirect.ts';
import type { HeldRequest } from '../../ledger/fixity/fixity-ledger.ts';
import { redactRequest } from '../../observe/redact-request.ts';
import { fetchRequestOf } from '../session/encode-request.ts';

/** What is wrong, as a sentence without its end; undefined when nothing is. */
export function firstHopFault(spec: HeldRequest, sent: ArchivedRequest): string | undefined {
  if (sent.targetUri !== spec.url && sent.targetUri !== sentAddress(spec.url)) {
    return `It is of ${sent.targetUri}, and its request asks for ${spec.url}`;
  }
  if (sent.method !== spec.method) return `It was sent with ${sent.method}, and its request says ${spec.method}`;
  return hasBody(spec, sent) ? undefined : 'It was sent with another body than its request has';
}

/** The same for an exchange that the answer before it led to. */
export function redirectFault(before: ArchivedHead, sent: ArchivedRequest): string | undefined {
  const { status, headers: responseHeaders, targetUri } = before;
  const url = URL.parse(targetUri);
  if (url === null) return undefined;
  const decision = decideRedirect({ status, responseHeaders, url, method: 'GET', requestHeaders: [], followed: 0 });
  if (decision.kind === 'follow' && decision.url.href === sent.targetUri) return undefined;
  return `It is of ${sent.targetUri}, and the answer before it, of ${targetUri}, does not redirect there`;
}

/** User and password do not go along in an address, nor does a fragment. */
function sentAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return undefined;
  url.hash = '';
  url.username = '';
  url.password = '';
  return url.href;
}

/** As it was sent, or with its secrets taken out on the way to the archive. */
function hasBody(spec: HeldRequest, { headers: requestHeaders, body }: ArchivedRequest): boolean {
  const requestBody = fetchRequestOf({ ...spec, method: 'POST' }).body?.bytes ?? Buffer.alloc(0);
  if (body.equals(requestBody)) return true;
  return body.equals(redactRequest({ requestHeaders, requestBody }).requestBody ?? Buffer.alloc(0));
}
