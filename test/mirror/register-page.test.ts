// The register as it is read, event by event and without a tree, against the same page read as a tree: on every page that
// the simulated court has.

import { selectAll } from 'css-select';
import type { AnyNode, Element } from 'domhandler';
import { DomUtils, parseDocument } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { CORPUS_VERSIONS } from '../../sim/judicial-ky/corpus.ts';
import { REGISTER_PATH } from '../../sim/judicial-ky/paths.ts';
import { isSwitchName, SWITCHES } from '../../sim/judicial-ky/switches.ts';
import { normalizeActionToken } from '../../src/mirror/csv/normalize-action-token.ts';
import { type ReadRegister, readRegister } from '../../src/mirror/sources/judicial-ky/read-register.ts';
import { startSite } from './scrape-setup.ts';

/** The plain way: a tree, and selectors. */
function readTree(html: string): ReadRegister {
  const tree = parseDocument(html);
  const scripts = selectAll('script', tree).map((script) => DomUtils.textContent(script));
  const nonce = scripts.join('\n').match(/["'](?:ajax_nonce|security|_nonce)["']:["']([0-9a-f]{10})["']/)?.[1];
  if (nonce === undefined) return { kind: 'changed', missing: 'a nonce' };
  const buttons = selectAll<AnyNode, Element>('button[data-dl]', tree);
  const pressed = buttons.map(({ attribs }) => ({
    fname: attribs['data-dl'] ?? '',
    fid: attribs['data-fid'] ?? '',
    nonce: undefined,
  }));
  // Of several buttons for one token, the first: the last one set wins in a Map.
  const byToken = new Map(pressed.toReversed().map((button) => [normalizeActionToken(button.fname), button]));
  return { kind: 'read', register: { nonces: [{ value: nonce, place: '' }], buttons: byToken } };
}

/** Buttons in whatever order: they are looked up by token. */
function inOrder(read: ReadRegister) {
  if (read.kind === 'changed') return read;
  return {
    nonce: read.register.nonces.map(({ value }) => value),
    buttons: [...read.register.buttons].sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}

const ofPage = Object.keys(SWITCHES)
  .filter(isSwitchName)
  .filter((name) => name.startsWith('page-'));

describe('the register of the simulated court', () => {
  it.for(CORPUS_VERSIONS)('is read as from a tree: %s', async (version) => {
    const site = await startSite({ cases: 400 });
    site.travelTo(version);
    for (const nonceName of ['ajax_nonce', 'security', '_nonce'] as const) {
      site.configure({ nonceName });
      const html = await (await fetch(site.pageUrl)).text();
      const read = readRegister(html);
      expect(inOrder(read)).toEqual(inOrder(readTree(html)));
      expect(read.kind === 'read' && read.register.buttons.size).toBe(site.corpus.active(version).length);
    }
  });

  it.for(ofPage)('is read as from a tree also with %s', async (name) => {
    const site = await startSite({ cases: 60 });
    site.switchOn(name);
    const html = await (await fetch(site.url + REGISTER_PATH)).text();
    expect(site.log.entries.at(-1)?.fault).not.toBeNull();
    expect(inOrder(readRegister(html))).toEqual(inOrder(readTree(html)));
  });

  it('has switches of its own to be read with', () => {
    expect(ofPage.length).toBeGreaterThan(2);
  });
});
