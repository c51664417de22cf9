// The tokens of the server: one to change things, and one that only reads. Checked at the start, so that no server runs with
// one that can be guessed.

import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { secretEquals } from './secret-equals.ts';

const LEAST_CHARACTERS = 16;
const REMEDY = 'Use a long random text, such as openssl rand -hex 32 prints.';

export interface Tokens {
  /** `CURLEW_TOKEN`: reads and changes. */
  readonly change: string | undefined;
  /** `CURLEW_READ_TOKEN`: only reads. */
  readonly read: string | undefined;
}

/** Blank counts as none. Throws `usage` for tokens that are too short, cannot be sent in a header, or are the same. */
export function readTokens(change: string | undefined, read: string | undefined): Tokens {
  const tokens = { change: readToken('CURLEW_TOKEN', change), read: readToken('CURLEW_READ_TOKEN', read) };
  if (tokens.change !== undefined && tokens.change === tokens.read) {
    throw refusal('CURLEW_TOKEN and CURLEW_READ_TOKEN are the same, so that whoever may read may change things.');
  }
  return tokens;
}

/** What a token allows; undefined: it is wrong. Looks at both in any case, so that the time tells nothing. */
export function levelOf({ change, read }: Tokens, given: string): 'changing' | 'reading' | undefined {
  const isChange = secretEquals(given, change ?? '') && change !== undefined;
  const isRead = secretEquals(given, read ?? '') && read !== undefined;
  return isChange ? 'changing' : isRead ? 'reading' : undefined;
}

function readToken(name: string, given: string | undefined): string | undefined {
  const token = given?.trim() ?? '';
  if (token === '') return undefined;
  if (token.length < LEAST_CHARACTERS) {
    throw refusal(`${name} has ${token.length} characters. It must have at least ${LEAST_CHARACTERS}.`);
  }
  if (!/^[\x21-\x7e]+$/.test(token)) throw refusal(`${name} has characters that cannot be sent in a header.`);
  return token;
}

function refusal(message: string): CurlewError {
  return new CurlewError(ErrorCode.usage, message, { remedy: REMEDY });
}
