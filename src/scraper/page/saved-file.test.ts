import { describe, expect, it } from 'vitest';
import { remoteFileName } from '../../fetch/http/remote-file-name.ts';
import { SavedFile } from './saved-file.ts';

describe('a saved file', () => {
  it('tells what was saved, and where', () => {
    const file = new SavedFile({
      url: 'https://court.example/download?id=7',
      requestUrl: 'https://court.example/pdf/7',
      status: 200,
      headers: [
        ['content-type', 'Application/PDF;q=1'],
        ['Content-Disposition', 'attachment; filename="FSD 1.pdf"'],
      ],
      path: 'ab/abcd/FSD 1.pdf',
      size: 4_096,
      sha256: 'abcd',
    });
    expect(file).toMatchObject({ path: 'ab/abcd/FSD 1.pdf', size: 4_096, sha256: 'abcd', status: 200 });
    expect(file.header('CONTENT-TYPE')).toBe('Application/PDF;q=1');
    expect(file.contentType).toBe('application/pdf');
    expect(file.fileName).toBe('FSD 1.pdf');
  });
});

describe('remoteFileName', () => {
  const url = 'https://court.example/files/Judgment%20No.%201.pdf?v=2';

  it.each([
    ['attachment; filename="a b.pdf"', 'a b.pdf'],
    ['attachment; filename=plain.pdf; size=3', 'plain.pdf'],
    ['attachment; filename="a \\"b\\".pdf"', 'a "b".pdf'],
    ['attachment; filename="ascii.pdf"; filename*=UTF-8\'\'na%C3%AFve%20%E2%82%AC.pdf', 'naïve €.pdf'],
    ["inline; FILENAME*=iso-8859-1'en'%A3%20rates.pdf", '£ rates.pdf'],
    ["attachment; filename*=nonsense''x.pdf; filename=y.pdf", 'y.pdf'],
    [Buffer.from('attachment; filename="Zürich – 1.pdf"').toString('latin1'), 'Zürich – 1.pdf'],
    ['attachment; filename=Z\xfcrich.pdf', 'Zürich.pdf'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="C:\\dir\\x.pdf"', 'x.pdf'],
    ['attachment', 'Judgment No. 1.pdf'],
    ['inline; filename=""', 'Judgment No. 1.pdf'],
    [undefined, 'Judgment No. 1.pdf'],
  ])('reads %j as %j', (header, expected) => {
    expect(remoteFileName(header, url)).toBe(expected);
  });

  it('takes no directory out of an escaped path, and gives nothing for nothing', () => {
    expect(remoteFileName(undefined, 'https://a.example/..%2F..%2Fx.pdf')).toBe('x.pdf');
    expect(remoteFileName(undefined, 'https://a.example/100%.pdf')).toBe('100%.pdf');
    expect(remoteFileName(undefined, 'https://a.example/dir/')).toBeUndefined();
  });
});
