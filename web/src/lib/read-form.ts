// What was filled in, as the parameters a schema asks for. What was left empty is left out, so that the default of the
// other side holds; a group of which nothing was filled in is left out as a whole.

import type { FormField, Json, JsonObject } from './form-field.ts';

/** By key of the field; a flag is a boolean. */
export type FormValues = Readonly<Record<string, string | boolean>>;

export type FormResult =
  | { readonly kind: 'params'; readonly params: JsonObject }
  /** By key of the field: what is wrong, as a sentence. */
  | { readonly kind: 'errors'; readonly errors: Readonly<Record<string, string>> };

export function initialValues(fields: readonly FormField[]): FormValues {
  return Object.assign(
    {},
    ...fields.map((field) => (field.kind === 'group' ? initialValues(field.fields) : { [field.key]: field.initial })),
  );
}

export function readForm(fields: readonly FormField[], values: FormValues): FormResult {
  const errors: Record<string, string> = {};
  const params = readFields(fields, values, errors);
  return Object.keys(errors).length > 0 ? { kind: 'errors', errors } : { kind: 'params', params };
}

function readFields(
  fields: readonly FormField[],
  values: FormValues,
  errors: Record<string, string>,
): Record<string, Json> {
  const params: Record<string, Json> = {};
  for (const field of fields) {
    const value = field.kind === 'group' ? readGroup(field, values, errors) : readField(field, values, errors);
    if (value !== undefined) params[field.name] = value;
  }
  return params;
}

function readGroup(
  field: Extract<FormField, { kind: 'group' }>,
  values: FormValues,
  errors: Record<string, string>,
): Json | undefined {
  if (!field.required && isUntouched(field.fields, values)) return undefined;
  return readFields(field.fields, values, errors);
}

function isUntouched(fields: readonly FormField[], values: FormValues): boolean {
  const initial = initialValues(fields);
  return Object.entries(initial).every(([key, value]) => (values[key] ?? value) === value);
}

function readField(
  field: Exclude<FormField, { kind: 'group' }>,
  values: FormValues,
  errors: Record<string, string>,
): Json | undefined {
  const given = values[field.key] ?? field.initial;
  if (field.kind === 'flag') return given === true;
  const text = String(given);
  if (text.trim() === '') {
    if (field.required) errors[field.key] = `${field.label} is needed.`;
    return undefined;
  }
  const read = readText(field, text);
  if (read.kind === 'value') return read.value;
  errors[field.key] = read.error;
  return undefined;
}

type Read = { readonly kind: 'value'; readonly value: Json } | { readonly kind: 'error'; readonly error: string };

function readText(field: Exclude<FormField, { kind: 'group' | 'flag' }>, text: string): Read {
  switch (field.kind) {
    case 'choice': {
      const value = field.options[Number(text)];
      return value === undefined ? wrong(`${field.label} is none of its choices.`) : { kind: 'value', value };
    }
    case 'number':
      return readNumber(field, text);
    case 'list': {
      const lines = text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      if (!field.numbers) return { kind: 'value', value: lines };
      const numbers = lines.map(Number);
      const bad = lines.find((_, at) => Number.isNaN(numbers[at]));
      return bad === undefined ? { kind: 'value', value: numbers } : wrong(`${field.label}: ${bad} is not a number.`);
    }
    case 'json':
      try {
        return { kind: 'value', value: JSON.parse(text) };
      } catch (error) {
        return wrong(`${field.label} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
      }
    case 'text':
      if (field.minLength !== undefined && text.length < field.minLength) {
        return wrong(`${field.label} has at least ${field.minLength} characters.`);
      }
      if (!fits(field.pattern, text)) return wrong(`${field.label} does not have the form it should have.`);
      return { kind: 'value', value: text };
  }
}

/** A pattern that this browser cannot read is left to the server. */
function fits(pattern: string | undefined, text: string): boolean {
  try {
    return pattern === undefined || new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

function readNumber(field: Extract<FormField, { kind: 'number' }>, text: string): Read {
  const value = Number(text);
  if (!Number.isFinite(value)) return wrong(`${field.label} is a number.`);
  if (field.whole && !Number.isInteger(value)) return wrong(`${field.label} is a whole number.`);
  if (field.min !== undefined && value < field.min) return wrong(`${field.label} is at least ${field.min}.`);
  if (field.max !== undefined && value > field.max) return wrong(`${field.label} is at most ${field.max}.`);
  return { kind: 'value', value };
}

function wrong(error: string): Read {
  return { kind: 'error', error };
}
