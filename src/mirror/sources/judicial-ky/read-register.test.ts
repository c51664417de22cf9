import { describe, expect, it } from 'vitest';
import { readRegister } from './read-register.ts';

const page = (script: string, table = '<table id="judgment-registers"><tr><td>%</td></tr></table>') =>
  `<!doctype html>${table.replace('%', '<button data-dl="A&amp;B 1" data-fid="7"></button>')}<script>${script}</script>`;

describe('the register', () => {
  it.for(['ajax_nonce', 'security', '_nonce'])('has its nonce under %s', (name) => {
    const read = readRegister(page(`var x = {"url":"\\/a","${name}":"0123abcdef"};`));
    expect(read).toMatchObject({ kind: 'read', register: { nonce: '0123abcdef' } });
  });

  it('has what a button sends, by normalised token', () => {
    const read = readRegister(page('var x = {"security":"0123abcdef"};'));
    expect(read.kind === 'read' && [...read.register.buttons]).toEqual([['AB1', { fname: 'A&B 1', fid: '7' }]]);
  });

  it.for([
    ['the table', page('{"security":"0123abcdef"}', '<p>%</p>'), 'the table #judgment-registers'],
    ['the nonce', page('{"security":"0123"}'), 'a nonce in a script'],
    ['every button', page('{"security":"0123abcdef"}').replace('data-dl', 'data-x'), 'a button with data-dl'],
  ] as const)('is not one without %s', ([, html, missing]) => {
    expect(readRegister(html)).toEqual({ kind: 'changed', missing });
  });

  it('takes no nonce from the text of the page', () => {
    expect(readRegister(`${page('')}<p>security: "0123abcdef"</p>`).kind).toBe('changed');
  });
});
