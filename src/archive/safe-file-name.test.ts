import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeFileName } from './safe-file-name.ts';

const nasty = fc.constantFrom(
  ...[
    '/',
    '\\',
    '.',
    '..',
    ' ',
    ':',
    '*',
    '\0',
    '\n',
    '\u202e',
    '\u200b',
    '\ufeff',
    '\u2028',
    '\u00a0',
    'e',
    '\u0301',
    'é',
  ],
  ...[
    'con',
    'NUL',
    'com1',
    'lpt¹',
    '.pdf',
    '.tar.gz',
    '𝒳',
    '\ud800',
    'x'.repeat(200),
    'ß'.repeat(100),
    '判決'.repeat(40),
  ],
);
const remoteNames = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(nasty, { maxLength: 8 }).map((parts) => parts.join('')),
);

describe('a safe file name', () => {
  it('is one path segment that every system can hold, whatever the server said', () => {
    fc.assert(
      fc.property(remoteNames, (remoteName) => {
        const name = safeFileName(remoteName);
        expect(name).not.toBe('');
        expect(name).not.toMatch(/[/\\:*?"<>|]/);
        expect(name).not.toMatch(/^[. ]|[. ]$/);
        expect(name).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u00ad]/u);
        expect(name.split('.')[0]?.trim()).not.toMatch(/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i);
        expect(name).toBe(name.normalize('NFC'));
        expect(name.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(180);
      }),
      { numRuns: 2000 },
    );
  });

  it('is left as it is when it is safe already', () => {
    fc.assert(
      fc.property(remoteNames, (name) => safeFileName(safeFileName(name)) === safeFileName(name)),
      { numRuns: 2000 },
    );
  });

  it('keeps the extension of a name that is too long', () => {
    expect(safeFileName(`${'Urteil ß '.repeat(60)}.pdf`)).toMatch(/^Urteil ß .*[^ ]\.pdf$/);
    expect(Buffer.byteLength(safeFileName(`${'ß'.repeat(500)}.pdf`))).toBe(180);
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Windows\\system32\\cmd.exe', 'cmd.exe'],
    ['judgment.pdf', 'judgment.pdf'],
    ['.htaccess', 'htaccess'],
    ['..', 'file'],
    ['', 'file'],
    ['a/', 'a'],
    ['nul', '_nul'],
    ['CON.tar.gz', '_CON.tar.gz'],
    ['com1 .txt', '_com1 .txt'],
    ['console.txt', 'console.txt'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['a\r\nb.pdf', 'a b.pdf'],
    ['Cafe\u0301.pdf', 'Café.pdf'],
    ['report.pdf. . ', 'report.pdf'],
    ['what?: "x".pdf', 'what__ _x_.pdf'],
  ])('of %j is %j', (remoteName, name) => {
    expect(safeFileName(remoteName)).toBe(name);
  });
});
