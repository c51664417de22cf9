import { describe, expect, it } from 'vitest';
import { escapeActing, escapeControls } from './acting-characters.ts';

describe('characters that act', () => {
  it.each(['\x7f', '\x9b', '\u061c', '\u200e', '\u200f', '\u2028', '\u2029', '\u202e', '\u2066', '\u2069'])(
    'are escaped, and mean the same in JSON: %j',
    (character) => {
      expect(escapeControls(`a${character}b`)).toMatch(/^a\\u[0-9a-f]{4}b$/);
      const json = escapeActing(JSON.stringify([character]));
      expect(json).toMatch(/^[\x20-\x7e]+$/);
      expect(JSON.parse(json)).toEqual([character]);
    },
  );

  it('are not those that are shown', () => {
    expect(escapeControls('Zürich – 日本 \u{1f426}')).toBe('Zürich – 日本 \u{1f426}');
  });

  it('are all below the space, for a terminal', () => {
    expect(escapeControls('\x1b[2J\r\n\0')).toBe('\\u001b[2J\\u000d\\u000a\\u0000');
  });
});
