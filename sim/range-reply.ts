// The part of a file that a request asks for (RFC 9110 §14): one range; several, or nonsense, give the whole file.

import type { Reply, SimRequest } from './reply.ts';

export function rangeReply({ headers }: SimRequest, reply: Reply & { readonly body: Buffer }): Reply {
  const { length } = reply.body;
  const whole = { ...reply, headers: { ...reply.headers, 'accept-ranges': 'bytes' } };
  const condition = headers['if-range'];
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const isRange = from === '' || to === '' ? from !== to : Number(from) <= Number(to);
  if (!isRange || (condition !== undefined && condition !== reply.headers.etag)) return whole;
  // §14.1.2: without a first position, the last so many bytes; a last position beyond the end means the end.
  const start = from === '' ? Math.max(0, length - Number(to)) : Number(from);
  const end = from === '' || to === '' ? length - 1 : Math.min(Number(to), length - 1);
  if (start >= length) return { status: 416, headers: { 'content-range': `bytes */${length}` }, body: '' };
  const partHeaders = { ...whole.headers, 'content-range': `bytes ${start}-${end}/${length}` };
  return { status: 206, headers: partHeaders, body: reply.body.subarray(start, end + 1) };
}
