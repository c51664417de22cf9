// From a request as the ledger keeps it to what the pipeline is asked for, with the values of its session filled in. Pure.

import type { FetchRequest } from '../../fetch/fetch-request.ts';
import type { RequestBody, RequestSpec, ValueReference } from '../../ledger/request-spec.ts';
import { replaceEach } from './replace-each.ts';

const NONE: Readonly<Record<string, never>> = {};
/** As many texts as a request has placeholders. */
export type FilledValues = ReadonlyMap<string, string>;
export const NOTHING_FILLED: FilledValues = new Map();

/** With `values` by placeholder. What has no value stays a placeholder: so it is written down. */
export function fetchRequestOf(spec: RequestSpec, values: FilledValues = NOTHING_FILLED): FetchRequest {
  const fill = (text: string) => fillText(text, values);
  return {
    method: spec.method,
    url: fillText(spec.url, values, encodeURIComponent),
    headers: mapValues(spec.headers, fill),
    cookies: mapValues(spec.cookies, fill),
    body: spec.body === undefined ? undefined : encodeBody(spec.body, values),
    session: spec.session ?? 'default',
    saves: spec.saves,
    via: spec.via,
    waitFor: spec.waitFor,
  };
}

/** The texts for the placeholders of a request, and the references that there is none for. */
export function fillIn(
  { values = NONE }: Pick<RequestSpec, 'values'>,
  find: (reference: ValueReference) => string | undefined,
): { readonly filled: FilledValues; readonly missing: readonly ValueReference[] } {
  const filled = new Map<string, string>();
  const missing: ValueReference[] = [];
  for (const [placeholder, reference] of Object.entries(values)) {
    const value = find(reference);
    if (value === undefined) missing.push(reference);
    const text = value ?? reference.or;
    if (text !== undefined) filled.set(placeholder, text);
  }
  return { filled, missing };
}

function encodeBody(body: RequestBody, values: FilledValues): NonNullable<FetchRequest['body']> {
  switch (body.kind) {
    case 'form': {
      const fields = body.fields.map((field): [string, string] => [
        fillText(field[0], values),
        fillText(field[1], values),
      ]);
      return { bytes: Buffer.from(new URLSearchParams(fields).toString()), type: FORM };
    }
    case 'json': {
      const text = fillText(JSON.stringify(body.value), values, (value) => JSON.stringify(value).slice(1, -1));
      return { bytes: Buffer.from(text), type: 'application/json' };
    }
    case 'text': {
      const encode = body.type.toLowerCase().startsWith(FORM) ? encodeURIComponent : undefined;
      return { bytes: Buffer.from(fillText(body.text, values, encode)), type: body.type };
    }
  }
}

const FORM = 'application/x-www-form-urlencoded';

function fillText(text: string, values: FilledValues, encode: (value: string) => string = (value) => value): string {
  return replaceEach(text, values, encode);
}

function mapValues(
  texts: Readonly<Record<string, string>> = NONE,
  map: (text: string) => string,
): Readonly<Record<string, string>> {
  return texts === NONE ? NONE : Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, map(text)]));
}
