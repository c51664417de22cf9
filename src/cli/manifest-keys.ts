// The keys that a manifest is signed and checked with: Ed25519, in PEM, as openssl makes them.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';

export function readPrivateKey(path: string): Promise<KeyObject> {
  return readKey(path, 'private', createPrivateKey, 'Make one with: openssl genpkey -algorithm ed25519 -out key.pem');
}

export function readPublicKey(path: string): Promise<KeyObject> {
  return readKey(path, 'public', createPublicKey, 'Make it with: openssl pkey -in key.pem -pubout -out public.pem');
}

/** Throws `usage`. What a key file holds is never part of the message. */
async function readKey(
  path: string,
  which: 'private' | 'public',
  parse: (pem: Buffer) => KeyObject,
  remedy: string,
): Promise<KeyObject> {
  let pem: Buffer;
  try {
    pem = await readFile(path);
  } catch (error) {
    throw new CurlewError(ErrorCode.usage, `Cannot read the ${which} key: ${messageOf(error)}`, { remedy });
  }
  let key: KeyObject | undefined;
  try {
    key = parse(pem);
  } catch {
    // A key that is encrypted, or no key at all.
  }
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new CurlewError(ErrorCode.usage, `${path} is not an unencrypted Ed25519 ${which} key in PEM.`, { remedy });
}
