import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countReads } from '../css/count-reads.ts';
import { get } from '../request.ts';
import { isElement } from '../xpath/xpath-node.ts';
import { readControls } from './form-controls.ts';
import { parseTree } from './parse-tree.ts';
import { samplePage } from './sample-page.ts';

const fieldsOf = (controls: string) => samplePage(`<form>${controls}</form>`).form().fields;

describe('the fields of a form', () => {
  it('are those a browser would send, in the order of the page', () => {
    // An ASP.NET search page, abridged.
    const html = `<form method="post" action="./Search.aspx?x=1" id="aspnetForm">
      <input type="hidden" name="__VIEWSTATE" value="/wEPDwUK&amp;x" /><input type="hidden" name="__EVENTTARGET">
      <table><tr><td><input name="ctl00$name" type="text" value="  Smith " maxlength=50></td>
      <td><select name="court"><option value="">All</option><option value="FSD" selected>Financial</option></select></td>
      <td><input type=checkbox name=sealed><input type=checkbox name=open checked><input type=checkbox name=kind value=a checked>
      <input type=radio name=sort value=date><input type=radio name=sort value=name checked></td></tr></table>
      <textarea name=note>
one
two</textarea>
      <input type=password name=pw value=x><input name=off value=1 disabled><input value=nameless>
      <input type=submit name=go value=Search><button name=clear>Clear</button><input type=image name=img><input type=reset name=r>
      <input type=button name=b value=1><input type=file name=f></form>`;
    expect(samplePage(html).form('#aspnetForm').fields).toEqual([
      ['__VIEWSTATE', '/wEPDwUK&x'],
      ['__EVENTTARGET', ''],
      ['ctl00$name', '  Smith '],
      ['court', 'FSD'],
      ['open', 'on'],
      ['kind', 'a'],
      ['sort', 'name'],
      ['note', 'one\r\ntwo'],
      ['pw', 'x'],
    ]);
  });

  it.each([
    ['the first option of a drop-down', '<select name=s><option>a  b\n<option value=2>c</select>', [['s', 'a b']]],
    ['the first that is not disabled', '<select name=s><option disabled>a<option>b</select>', [['s', 'b']]],
    ['the last selected one', '<select name=s><option selected>a<option selected>b<option>c</select>', [['s', 'b']]],
    [
      'all selected ones of a list',
      '<select name=s multiple><option selected>a<option>b<option selected>c</select>',
      [
        ['s', 'a'],
        ['s', 'c'],
      ],
    ],
    ['none of a list', '<select name=s multiple><option>a</select>', []],
    ['none of a box', '<select name=s size=4><option>a</select>', []],
    ['none that is disabled', '<select name=s><option selected disabled>a<option>b</select>', []],
    [
      'none of a disabled group',
      '<select name=s><optgroup disabled><option>a</optgroup><option>b</select>',
      [['s', 'b']],
    ],
    ['nothing for an empty drop-down', '<select name=s></select>', []],
    ['an empty value', '<select name=s><option value="">Any</select>', [['s', '']]],
  ])('have %s', (_, controls, expected) => {
    expect(fieldsOf(controls)).toEqual(expected);
  });

  it('have the last of several checked radio buttons', () => {
    expect(fieldsOf('<input type=radio name=r value=1 checked><input type=radio name=r value=2 checked>')).toEqual([
      ['r', '2'],
    ]);
  });

  it('leave out what a disabled fieldset holds, except in its first legend', () => {
    const html = `<fieldset disabled><legend><input name=a value=1></legend><legend><input name=b value=2></legend>
      <div><input name=c value=3></div><fieldset><input name=d value=4></fieldset></fieldset><fieldset><input name=e value=5></fieldset>`;
    expect(fieldsOf(html)).toEqual([
      ['a', '1'],
      ['e', '5'],
    ]);
  });

  it('include controls elsewhere that name the form, and not those that name another', () => {
    const html =
      '<input name=a value=1 form=f><form id=f><input name=b value=2><input name=c value=3 form=g></form><form id=g></form>';
    expect(samplePage(html).form('#f').fields).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(samplePage(html).form('#g').fields).toEqual([['c', '3']]);
  });

  it('include controls that a table has torn out of the form, until the form ends', () => {
    const html = `<table><tr><form id=f><td><input name=a value=1></td></tr>
      <tr><td><input name=b value=2></td></tr></form><tr><td><input name=c value=3></td></tr></table>
      <form id=g><input name=d value=4></form><input name=e value=5>`;
    expect(samplePage(html).form('#f').fields).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(samplePage(html).form('#g').fields).toEqual([['d', '4']]);
  });

  it('have no line ends in single-line controls and CRLF in all others', () => {
    expect(
      fieldsOf('<input name=a value="x\ny"><input type=hidden name=b value="x"><textarea name=c>\r\n\np\rq</textarea>'),
    ).toEqual([
      ['a', 'xy'],
      ['b', 'x'],
      ['c', '\r\np\r\nq'],
    ]);
    expect(fieldsOf('<input type=hidden name=h value="x\ny"><input type=email name=e value=" a@b ">')).toEqual([
      ['h', 'x\r\ny'],
      ['e', 'a@b'],
    ]);
  });

  it('leave out suggestions', () => {
    expect(
      fieldsOf('<input name=q list=d value=1><datalist id=d><div><input name=x value=1></div></datalist>'),
    ).toEqual([['q', '1']]);
  });
});

describe('submitting', () => {
  const search = samplePage(`<form id=s action="/search?old=1#x"><input type=hidden name=t value=k><input name=q>
    <select name=court multiple><option>A<option>B</select><input type=checkbox name=all>
    <input type=submit name=go value="Find it"><button name=go formaction="/count" formmethod=post value=n>Count</button>
    <input type=image name=map alt="Map"><button>Plain</button></form>`).form('#s');

  it('puts the fields of a GET into the query, in place of the old one', () => {
    expect(search.submit({ q: 'Smith & Co é' })).toEqual({
      kind: 'submission',
      method: 'GET',
      url: 'https://court.example/search?t=k&q=Smith+%26+Co+%C3%A9#x',
      fields: [
        ['t', 'k'],
        ['q', 'Smith & Co é'],
      ],
      encoding: 'utf-8',
    });
  });

  it('leaves the address of a POST as it is', () => {
    const form = samplePage('<form method=POST action="?id=7"><input name=a value=1></form>').form();
    expect(form).toMatchObject({ method: 'POST', action: 'https://court.example/list/?id=7' });
    expect(form.submit()).toMatchObject({
      method: 'POST',
      url: 'https://court.example/list/?id=7',
      fields: [['a', '1']],
    });
  });

  it('takes several values, none, and values for what is not checked, in the order of the page', () => {
    expect(search.submit({ all: 'on', court: ['A', 'B'], q: [], t: 'z' }).fields).toEqual([
      ['t', 'z'],
      ['court', 'A'],
      ['court', 'B'],
      ['all', 'on'],
    ]);
  });

  it('clicks a button by name or caption', () => {
    expect(search.submit({}, { button: 'Find it' }).fields).toContainEqual(['go', 'Find it']);
    expect(search.submit({}, { button: 'Count' })).toMatchObject({
      method: 'POST',
      url: 'https://court.example/count',
      fields: [
        ['t', 'k'],
        ['q', ''],
        ['go', 'n'],
      ],
    });
    expect(search.submit({}, { button: 'map' }).fields.slice(-2)).toEqual([
      ['map.x', '0'],
      ['map.y', '0'],
    ]);
    expect(search.submit({}, { button: 'Plain' }).fields).toHaveLength(2);
  });

  it('reports a button that is not there, or there twice', () => {
    expect(() => search.submit({}, { button: 'Delete' })).toThrow(
      expect.objectContaining({
        code: 'structure',
        actual: '0',
        remedy: expect.stringContaining('"Find it" (name "go")'),
      }),
    );
    expect(() => search.submit({}, { button: 'go' })).toThrow(
      expect.objectContaining({ code: 'structure', actual: '2' }),
    );
  });

  it('reports a field that the form does not have, and lists those it has', () => {
    expect(() => search.submit({ query: 'x', q: 'y' })).toThrow(
      expect.objectContaining({
        code: 'structure',
        selector: '#s',
        message: expect.stringContaining('has no field named query'),
        remedy: expect.stringContaining('t, q, court, all, go, map'),
      }),
    );
  });

  it('sends other fields when told to', () => {
    expect(search.submit({ __EVENTTARGET: 'page$2' }, { extra: true }).fields.at(-1)).toEqual([
      '__EVENTTARGET',
      'page$2',
    ]);
  });

  it('goes to the page itself when there is no action, whatever <base> says', () => {
    const form = samplePage('<base href="/other/"><form action=""><input name=a value=1></form>', {
      url: 'https://court.example/list/?old=1',
    }).form();
    expect(form.action).toBe('https://court.example/list/?old=1');
    expect(form.submit().url).toBe('https://court.example/list/?a=1');
    const relative = samplePage('<base href="/other/"><form action="go"></form>').form();
    expect(relative.action).toBe('https://court.example/other/go');
  });

  it('refuses an action that only a script can follow', () => {
    expect(() => samplePage('<form action="javascript:go()"></form>').form().submit()).toThrow(
      expect.objectContaining({ code: 'structure', actual: 'javascript:go()' }),
    );
  });

  it('refuses what is no form', () => {
    expect(() => samplePage('<div id=s>').form('#s')).toThrow(
      expect.objectContaining({ code: 'structure', expected: 'a <form>', actual: '<div>' }),
    );
  });

  it('tells the media type that the page asks for', () => {
    expect(samplePage('<form enctype="Multipart/Form-Data">').form().enctype).toBe('multipart/form-data');
    expect(search.enctype).toBe('application/x-www-form-urlencoded');
  });

  it('gives something that get accepts', () => {
    expect(get(search.submit({ q: 'x' }))).toMatchObject({
      method: 'GET',
      url: 'https://court.example/search?t=k&q=x#x',
    });
    expect(get(search.submit({}, { button: 'Count' }))).toMatchObject({ method: 'POST', body: { kind: 'form' } });
  });

  it('writes the query in the encoding of the page or of the form', () => {
    const html = '<form><input type=hidden name=_charset_><input name=q></form>';
    const latin = samplePage(html, { headers: [['content-type', 'text/html; charset=iso-8859-1']] });
    expect(latin.form().submit({ q: 'é€ 日' }).url).toMatch(/_charset_=windows-1252&q=%E9%80\+%26%2326085%3B$/);
    const accepts = samplePage('<form accept-charset="nonsense, ISO-8859-2"><input name=q></form>').form();
    expect(accepts.submit({ q: 'ł' })).toMatchObject({ encoding: 'iso-8859-2', url: expect.stringContaining('q=%B3') });
    const japanese = samplePage(html, { headers: [['content-type', 'text/html; charset=shift_jis']] });
    expect(japanese.form().submit({ q: '日' })).toMatchObject({
      encoding: 'utf-8',
      url: expect.stringContaining('q=%E6%97%A5'),
    });
  });

  it('puts into the query exactly what a server reads back', () => {
    const value = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n]/g, ''));
    fc.assert(
      fc.property(value, fc.array(value), (q, courts) => {
        const { url } = search.submit({ q, court: courts });
        const expected = [['t', 'k'], ['q', q], ...courts.map((court) => ['court', court])];
        expect([...new URL(url).searchParams]).toEqual(expected);
      }),
    );
  });
});

describe('a form of many controls', () => {
  it('in a disabled fieldset is read in time that is in proportion to their number', () => {
    const reads = [1_000, 2_000].map((size) => {
      const tree = parseTree(`<form><fieldset disabled>${'<input name=a>'.repeat(size)}</fieldset></form>`, 'html', {
        url: 'https://court.example/',
      });
      const form = tree.document.children.find(isElement);
      return countReads(tree.document, () => form && readControls(form, tree, 'utf-8'));
    });
    expect(reads[0]).toBeGreaterThan(1_000);
    expect((reads[1] ?? 0) / (reads[0] ?? 0)).toBeLessThan(2.5);
  });
});
