// Events, parameters and error texts may quote what a site or a person wrote. They are shown without secrets.

import { redactSecrets } from '../../observe/redact.ts';
import type { Json } from '../../platform/json.ts';

/** The same value without secrets. */
export function clean(value: Json): Json {
  return JSON.parse(redactSecrets(JSON.stringify(value)));
}

export function cleanText(text: string): string;
export function cleanText(text: string | undefined): string | null;
export function cleanText(text: string | undefined): string | null {
  return text === undefined ? null : redactSecrets(text);
}
