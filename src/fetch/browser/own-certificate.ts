// The certificate under which the guard proxy speaks TLS with our own Chromium, and with nobody else: made anew for every
// process, its key never leaves memory, and Chromium is told to accept this one key (by its hash) for every host name.

import { createHash, generateKeyPairSync, sign } from 'node:crypto';

export interface OwnCertificate {
  /** PEM. */
  readonly key: string;
  /** PEM. */
  readonly cert: string;
  /** Base64 of the SHA-256 of the public key, as Chromium's `--ignore-certificate-errors-spki-list` wants it. */
  readonly keyHash: string;
}

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;

const ECDSA_WITH_SHA256 = der(SEQUENCE, der(OBJECT_ID, Buffer.from('2a8648ce3d040302', 'hex')));
const COMMON_NAME = der(OBJECT_ID, Buffer.from('550403', 'hex'));
// Whoever trusts the key does not ask for dates: they only have to be there.
const VALIDITY = der(
  SEQUENCE,
  der(UTC_TIME, Buffer.from('200101000000Z')),
  der(UTC_TIME, Buffer.from('491231235959Z')),
);

/** A self-signed X.509 certificate (RFC 5280 §4.1) on a new P-256 key. */
export function makeOwnCertificate(): OwnCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicBytes = publicKey.export({ type: 'spki', format: 'der' });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from('Curlew')))));
  const serial = der(INTEGER, Buffer.from([1]));
  const content = der(SEQUENCE, serial, ECDSA_WITH_SHA256, name, VALIDITY, name, publicBytes);
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', content, privateKey));
  const certificate = der(SEQUENCE, content, ECDSA_WITH_SHA256, signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
    keyHash: createHash('sha256').update(publicBytes).digest('base64'),
  };
}

/** One value in DER (X.690 §8.1): tag, length, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}
