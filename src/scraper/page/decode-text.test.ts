import { describe, expect, it } from 'vitest';
import { decodeText } from './decode-text.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');

describe('decodeText', () => {
  it('reads UTF-8 when nothing says otherwise', () => {
    expect(decodeText(Buffer.from('<p>Zürich – €</p>'), undefined)).toEqual({
      text: '<p>Zürich – €</p>',
      encoding: 'utf-8',
    });
  });

  it('reads a page whose Content-Type is there and says nothing, by its markup', () => {
    expect(decodeText(Buffer.from('ä'), '')).toEqual({ text: 'ä', encoding: 'utf-8' });
    expect(decodeText(latin('<meta charset=latin1>\xe4'), '').encoding).toBe('windows-1252');
  });

  it('replaces bytes that are no UTF-8 and keeps the rest', () => {
    expect(decodeText(latin('caf\xe9!'), undefined).text).toBe('caf\ufffd!');
  });

  it('believes a byte order mark before the header, and removes it', () => {
    expect(decodeText(latin('\xef\xbb\xbfcaf\xc3\xa9'), 'text/html; charset=iso-8859-1')).toEqual({
      text: 'café',
      encoding: 'utf-8',
    });
    expect(decodeText(latin('\xff\xfea\0\xe9\0'), 'text/html; charset=utf-8')).toEqual({
      text: 'aé',
      encoding: 'utf-16le',
    });
    expect(decodeText(latin('\xfe\xff\0a\0\xe9'), undefined)).toEqual({ text: 'aé', encoding: 'utf-16be' });
  });

  it('removes one byte order mark and no more', () => {
    expect(decodeText(latin('\xff\xfe\xff\xfea\0'), undefined).text).toBe('\ufeffa');
    expect(decodeText(latin('\xef\xbb\xbf\xef\xbb\xbfa'), undefined).text).toBe('\ufeffa');
  });

  it.each([
    ['text/html; charset=iso-8859-1', 'windows-1252'],
    ['text/html;charset="Windows-1252"', 'windows-1252'],
    ["text/html; CHARSET='latin1'; x=y", 'windows-1252'],
    ['text/html; charset = ascii', 'windows-1252'],
  ])('believes the header %s before the markup', (contentType, encoding) => {
    const { text, encoding: used } = decodeText(latin('<meta charset=utf-8>\x93caf\xe9\x94 \x80'), contentType);
    expect(used).toBe(encoding);
    expect(text).toBe('<meta charset=utf-8>“café” €');
  });

  it('passes over a label that does not exist', () => {
    const body = latin('<meta charset="windows-1251">\xcf\xf0\xe8\xe3\xee\xe2\xee\xf0');
    expect(decodeText(body, 'text/html; charset=nonsense').text).toContain('Приговор');
    expect(decodeText(latin('<meta charset=foo><meta charset=windows-1252>\xe9'), undefined).text).toContain('é');
  });

  it.each([
    '<meta charset="windows-1252">',
    "<META CHARSET='windows-1252'/>",
    '<meta name=x charset=windows-1252 >',
    '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">',
    '<meta content="text/html;charset=windows-1252" http-equiv=content-type />',
    '<?xml version="1.0" encoding="windows-1252"?>',
    "<?xml version='1.0' encoding='ISO-8859-1' standalone='yes'?>",
    '<!-- <meta charset=utf-8> --><title>a > b</title><meta charset=windows-1252>',
    '<meta name="description" content="a > b; charset=utf-8"><meta charset=windows-1252>',
  ])('finds the encoding in %s', (start) => {
    expect(decodeText(latin(`${start}<p>caf\xe9`), undefined)).toMatchObject({
      encoding: 'windows-1252',
      text: `${start}<p>café`,
    });
  });

  it('does not look beyond the first 1024 bytes', () => {
    expect(decodeText(latin(`${' '.repeat(1024)}<meta charset=windows-1252>`), undefined).encoding).toBe('utf-8');
  });

  it.each(['application/json', 'application/ld+json; a=b'])('looks for no markup in %s', (type) => {
    const json = '{"html":"<meta charset=windows-1252>é"}';
    expect(decodeText(Buffer.from(json), type)).toEqual({ text: json, encoding: 'utf-8' });
  });

  it('does not believe a declaration in ASCII that it is UTF-16', () => {
    expect(decodeText(latin('<meta charset=utf-16>caf\xc3\xa9'), undefined)).toMatchObject({ encoding: 'utf-8' });
  });

  it('recognises UTF-16 without byte order mark by its XML declaration', () => {
    const text = '<?xml version="1.0"?><a>é</a>';
    expect(decodeText(Buffer.from(text, 'utf16le'), undefined)).toEqual({ text, encoding: 'utf-16le' });
  });

  it('reads multi-byte encodings', () => {
    expect(decodeText(latin('\x93\xfa\x96{'), 'text/html; charset=Shift_JIS').text).toBe('日本');
  });

  it('gives nothing for nothing', () => {
    expect(decodeText(new Uint8Array(), undefined)).toEqual({ text: '', encoding: 'utf-8' });
  });

  it('looks only at its own part of a larger buffer', () => {
    const whole = Uint8Array.from(Buffer.from('xxcaféyy'));
    expect(decodeText(whole.subarray(2, 7), undefined).text).toBe('café');
  });
});
