// The body of a request, as text.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

export async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8').on('data', (part) => (text += part));
  if (!request.complete) await once(request, 'end');
  return text;
}
