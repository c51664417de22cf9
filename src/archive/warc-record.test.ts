import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { formatRecord, parseRecord } from './warc-record.ts';

const record = formatRecord(
  [
    ['WARC-Type', 'resource'],
    ['WARC-IP-Address', undefined],
    ['WARC-Target-URI', 'https://a.example/\r\nWARC-Type: warcinfo'],
  ],
  'a\r\n\r\n',
  Buffer.from('b'),
);

describe('a WARC record', () => {
  it('comes apart into its fields and its block', () => {
    const parsed = parseRecord(record);
    expect(parsed?.block.toString()).toBe('a\r\n\r\nb');
    expect([...(parsed?.fields.keys() ?? [])]).toEqual([
      'warc-type',
      'warc-target-uri',
      'warc-block-digest',
      'content-length',
    ]);
  });

  it('carries the digest of its block, in which each character of the text is a byte', () => {
    const { fields, block } = parseRecord(formatRecord([['WARC-Type', 'é']], 'für ', Buffer.from('ß'))) ?? {};
    expect(fields?.get('warc-type')).toBe('é');
    expect(block?.toString('latin1')).toBe('für Ã\x9f');
    expect(fields?.get('warc-block-digest')).toBe(`sha256:${hash('sha256', block ?? '')}`);
  });

  it('has no field that a value made up', () => {
    expect(parseRecord(record)?.fields.get('warc-type')).toBe('resource');
    expect(parseRecord(record)?.fields.get('warc-target-uri')).toBe('https://a.example/  WARC-Type: warcinfo');
  });

  it('is refused at every other length', () => {
    for (let length = 0; length < record.length; length++)
      expect(parseRecord(record.subarray(0, length))).toBeUndefined();
    expect(parseRecord(Buffer.concat([record, Buffer.from('\r\n')]))).toBeUndefined();
  });

  it('of another version is refused', () => {
    expect(parseRecord(Buffer.from(record.toString().replace('WARC/1.1', 'WARC/1.0')))).toBeUndefined();
  });
});
