import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRegister } from './read-register.ts';

const OURS = '0123abcdef';
const OTHER = 'ffffffffff';
const BUTTON = '<button data-dl="A&amp;B 1" data-fid="7"></button>';
const page = (more: string, button = BUTTON) =>
  `<!doctype html><table id="judgment-registers"><tr><td>${button}</td></tr></table>${more}`;
const script = (text: string) => `<script>${text}</script>`;
const noncesOf = (html: string) => {
  const read = readRegister(html);
  return read.kind === 'read' ? read.register.nonces.map(({ value }) => value) : read;
};

/** Wherever plugins put it. */
const PLACES: Readonly<Record<string, string>> = {
  'an object of the site': script(`var bfile = {"ajax_url":"\\/a","ajax_nonce":"${OURS}"};`),
  'security in an object of any name': script(`/* <![CDATA[ */ var my_plugin_42 = {"security":"${OURS}"}; /* ]]> */`),
  _nonce: script(`window.x={_nonce:'${OURS}'}`),
  'nonce, unquoted': script(`const settings = { url: '/x', nonce: '${OURS}' };`),
  'a name that ends in nonce': script(`var q = {"dl_bfile_nonce":"${OURS}"};`),
  'camel case': script(`var q = {"ajaxNonce":"${OURS}"};`),
  'a variable': script(`var security = "${OURS}";`),
  'a field': script(`window["dl"]["security"] = '${OURS}';`),
  'an object in an object': script(`var a = {"b":{"c":[{"nonce":"${OURS}"}]}};`),
  'JSON in a text': script(`var a = JSON.parse("{\\"security\\":\\"${OURS}\\"}");`),
  'a script of JSON': `<script type="application/json">{"security":"${OURS}"}</script>`,
  'a script that is an address': `<script src="data:text/javascript;base64,${Buffer.from(`var x={"nonce":"${OURS}"}`).toString('base64')}"></script>`,
  'a script that is an address, in per cent': `<script src="data:text/javascript,${encodeURIComponent(`var x={"nonce":"${OURS}"}`)}"></script>`,
  'a hidden input': `<form><input type="hidden" name="security" value="${OURS}"></form>`,
  'a hidden input of WordPress': `<input type="hidden" id="_wpnonce" name="_wpnonce" value="${OURS}" />`,
  'a hidden input without a name': `<input type='hidden' id='dl-nonce' value='${OURS}'>`,
  'data-nonce of any element': `<div id="app" data-nonce="${OURS}"></div>`,
  'data-security': `<body data-security="${OURS}">`,
  'data-ajax-nonce': `<section data-ajax-nonce='${OURS}'></section>`,
  'JSON in an attribute': `<div data-settings='{"ajax":{"nonce":"${OURS}"}}'></div>`,
  'JSON in an attribute, escaped': `<div data-settings="{&quot;security&quot;:&quot;${OURS}&quot;}"></div>`,
  'upper case': script(`var q = {"security":"${OURS.toUpperCase()}"};`),
};

/** What other plugins have on the same page. */
const DECOYS = [
  script(`var wpApiSettings = {"root":"\\/wp-json\\/","nonce":"${OTHER}"};`),
  script(`window.heartbeatSettings = {"nonce":"${OTHER}"};`),
  `<input type="hidden" name="_wpnonce_login" value="${OTHER}">`,
  script(`var wc = {"cart_nonce":"${OTHER}"};`),
];

describe('the register', () => {
  it.for(Object.entries(PLACES))('has its nonce: %s', ([, more]) => {
    expect(noncesOf(page(more))).toEqual([more.includes(OURS.toUpperCase()) ? OURS.toUpperCase() : OURS]);
  });

  it('has its own nonce before those of other plugins, in whatever order they stand', () => {
    const mixed = fc.tuple(fc.constantFrom(...Object.values(PLACES)), fc.subarray(DECOYS, { minLength: 1 }), fc.nat());
    fc.assert(
      fc.property(mixed, ([ours, decoys, at]) => {
        const all = decoys.toSpliced(at % (decoys.length + 1), 0, ours);
        const found = noncesOf(page(all.join('\n')));
        expect(Array.isArray(found) && found[0]?.toLowerCase()).toBe(OURS);
      }),
    );
  });

  it('has what a button sends, by normalised token', () => {
    const read = readRegister(page(script('var x = {"security":"0123abcdef"};')));
    expect(read.kind === 'read' && [...read.register.buttons]).toEqual([
      ['AB1', { fname: 'A&B 1', fid: '7', nonce: undefined }],
    ]);
  });

  it.for([
    ['<a href="#" data-dl="A&amp;B 1" data-id="7">PDF</a>', undefined],
    ['<button data-dl="A&amp;B 1" data-file-id="7" data-nonce="0123abcdef">PDF</button>', OURS],
    ['<span data-dl="A&amp;B 1" data-fid="7" data-security="0123abcdef"></span>', OURS],
  ] as const)('has the button %s', ([button, nonce]) => {
    const read = readRegister(page(nonce === undefined ? script(`var security="${OURS}"`) : '', button));
    expect(read.kind === 'read' && read.register.buttons.get('AB1')).toEqual({ fname: 'A&B 1', fid: '7', nonce });
  });

  it('is one without a table and without any button: the index has the tokens', () => {
    expect(noncesOf(`<p>Loading</p>${script(`var bfile = {"security":"${OURS}"};`)}`)).toEqual([OURS]);
  });

  it.for([
    ['no nonce', page('')],
    ['a nonce that is too short', page(script('var x = {"security":"0123"};'))],
    ['a nonce in its text only', page(`<p>security: "${OURS}"</p>`)],
    ['the nonce of a content security policy only', page(`<script nonce="${OURS}">var a = 1;</script>`)],
    ['another use of ten hex characters', page(script(`var build = {"hash":"${OURS}"};`))],
    ['no button, and the nonce of another plugin', `<p>Sorry</p>${DECOYS[0]}`],
  ] as const)('is not one with %s', ([, html]) => {
    expect(readRegister(html)).toEqual({ kind: 'changed', missing: 'a nonce' });
  });
});
