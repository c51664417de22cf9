import { describe, expect, it } from 'vitest';
import { readConfig } from '../config/mirror-config.ts';
import { unreportedJudgments } from './judicial-ky/unreported-judgments.ts';
import { SOURCES, SourceRegistry } from './source-registry.ts';

describe('sources', () => {
  it.each([undefined, '', ' ', 'unreported_judgments', 'Unreported Judgments', 'unreported-judgments', 'UJ'])(
    '%j is the default one',
    (name) => {
      expect(SOURCES.require(name)).toBe(unreportedJudgments);
    },
  );

  it('says of a source that is reserved that it is not there yet', () => {
    for (const name of ['public-registers', 'Public Registers', 'pr', 'PR', ' registers ']) {
      expect(SOURCES.find(name)).toEqual({ kind: 'reserved', id: 'public_registers' });
    }
    expect(() => SOURCES.require('public_registers')).toThrowError(
      expect.objectContaining({ code: 'unknown_source', message: expect.stringContaining('not there yet') }),
    );
  });

  it('names what is there when asked for what is not, and what may have been meant', () => {
    const remedy = 'These are there: unreported_judgments.';
    expect(() => SOURCES.require('privy council')).toThrowError(
      expect.objectContaining({ code: 'unknown_source', remedy }),
    );
    expect(() => SOURCES.require('Unreported Judgements')).toThrowError(
      expect.objectContaining({ remedy: `Did you mean unreported_judgments? ${remedy}` }),
    );
  });

  it('refuses two sources of one name, and an id that is no directory', () => {
    const twin = { ...unreportedJudgments, id: 'other' };
    expect(() => new SourceRegistry([unreportedJudgments, twin])).toThrow('both called');
    expect(() => new SourceRegistry([{ ...unreportedJudgments, id: '../x' }])).toThrow('no id');
  });

  it('of judicial.ky are on the site that the settings name', () => {
    const { config } = readConfig({ BAILIIKC_UJ_BASE_URL: 'http://127.0.0.1:8080' });
    expect(unreportedJudgments.pageUrl(config)).toBe('http://127.0.0.1:8080/judgments/unreported-judgments/');
    expect(unreportedJudgments.indexUrl(config)).toBe(
      'http://127.0.0.1:8080/wp-content/uploads/box_files/judgments.csv',
    );
    const own = readConfig({ BAILIIKC_UJ_CSV_URL: 'http://127.0.0.1:1/x.csv' }).config;
    expect(unreportedJudgments.indexUrl(own)).toBe('http://127.0.0.1:1/x.csv');
  });
});
