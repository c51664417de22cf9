// The body of a request as it is sent.

import type { FetchRequest } from '../fetch/fetch-request.ts';
import type { RequestBody } from '../ledger/request-spec.ts';

export function encodeBody(body: RequestBody): NonNullable<FetchRequest['body']> {
  switch (body.kind) {
    case 'form': {
      const encoded = new URLSearchParams(
        body.fields.map(([name, value]): [string, string] => [name, value]),
      ).toString();
      return { bytes: Buffer.from(encoded), type: 'application/x-www-form-urlencoded' };
    }
    case 'json':
      return { bytes: Buffer.from(JSON.stringify(body.value)), type: 'application/json' };
    case 'text':
      return { bytes: Buffer.from(body.text), type: body.type };
  }
}
