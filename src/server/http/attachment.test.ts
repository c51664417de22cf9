import fc from 'fast-check';
import { expect, it } from 'vitest';
import { attachment } from './attachment.ts';

it('a name comes back as it was, for those who read it in full', () => {
  expect(attachment('Übersicht "1".pdf')).toBe(
    `attachment; filename="_bersicht _1_.pdf"; filename*=UTF-8''%C3%9Cbersicht%20%221%22.pdf`,
  );
  expect(attachment('../../etc/passwd')).toContain('filename=".._.._etc_passwd"');
  expect(attachment('')).toContain('filename="download"');
});

it('no name breaks out of the header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      expect(attachment(name)).toMatch(/^attachment; filename="[^"\\/\r\n]+"; filename\*=UTF-8''[\w.~!$&+%-]+$/);
    }),
  );
});
