// Whether a call is a form that a browser has sent: it wants to see a page next, not JSON.

import type { FastifyRequest } from 'fastify';

export function isForm({ headers }: FastifyRequest): boolean {
  return /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(headers['content-type'] ?? '');
}

/** Whether the caller would rather have a page than JSON. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '');
}
