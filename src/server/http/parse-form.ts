// The body of a form as an object: `a=1&b[c]=2` is `{ a: '1', b: { c: '2' } }`. A field that is there twice is
// refused: one of its values would be lost.

import { HttpError } from './http-error.ts';

/** Without a prototype: a form can name no property that is not its own. */
interface Fields {
  [name: string]: string | Fields;
}

export function readForm(text: string): Fields {
  const form = noFields();
  for (const [name, value] of new URLSearchParams(text)) put(form, name, value);
  return form;
}

export function parseForm(text: string, done: (error: Error | null, form?: Fields) => void): void {
  try {
    done(null, readForm(text));
  } catch (error) {
    done(error as Error);
  }
}

/** Without the fields that were left empty, at any depth. */
export function withoutEmptyFields(form: object): object {
  return Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) => {
      if (value === '') return [];
      return [[name, typeof value === 'object' && value !== null ? withoutEmptyFields(value) : value]];
    }),
  );
}

function put(form: Fields, name: string, value: string): void {
  const [, first, inner] = /^([^[\]]+)((?:\[[^[\]]+\])*)$/.exec(name) ?? [undefined, name, ''];
  const path = [first ?? name, ...[...(inner ?? '').matchAll(/\[([^[\]]+)\]/g)].map(([, part]) => part ?? '')];
  let place = form;
  for (const part of path.slice(0, -1)) {
    const there = (place[part] ??= noFields());
    if (typeof there === 'string') throw twice(name);
    place = there;
  }
  const last = path.at(-1) ?? name;
  if (place[last] !== undefined) throw twice(name);
  place[last] = value;
}

function noFields(): Fields {
  return Object.create(null);
}

function twice(name: string): HttpError {
  const detail = `${name}: is given twice`;
  return new HttpError(400, 'invalid_params', { message: `The form does not fit: ${detail}`, details: [detail] });
}
