import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { samplePage, sampleXml } from './sample-page.ts';

const textOf = (html: string) => samplePage(`<main>${html}</main>`).text('main');
const linesOf = (html: string) => samplePage(`<main>${html}</main>`).lines('main');

describe('visible text', () => {
  it.each([
    ['In the\n  <b>matter</b> of', 'In the matter of'],
    ['H<sub>2</sub>O, 1<sup>st</sup>, <em>un</em>likely', 'H2O, 1st, unlikely'],
    ['one<br>two<br/>three', 'one two three'],
    ['<p>one</p><p>two</p>', 'one two'],
    ['one<div>two</div>three', 'one two three'],
    ['<ul><li>one<li>two</ul>', 'one two'],
    ['<table><tr><td>one</td><td>two</td></tr><tr><th>three</table>', 'one two three'],
    ['<dl><dt>Judge<dd>Smith</dl>', 'Judge Smith'],
    ['<select><option>a</option><option>b</option></select>', 'a b'],
    ['A<img alt="not this">B', 'AB'],
    ['long<wbr>word', 'longword'],
    ['a<!-- not this -->b', 'ab'],
    ['AT&amp;T &lt;b&gt; &eacute; &#8364; a&nbsp;b', 'AT&T <b> é € a b'],
  ])('of %s is %j', (html, expected) => {
    expect(textOf(html)).toBe(expected);
  });

  it.each([
    '<script>x()</script>',
    '<style>p{}</style>',
    '<noscript>Enable JavaScript</noscript>',
    '<template><p>row</p></template>',
    '<title>Title</title>',
    '<iframe>no frames</iframe>',
    '<p hidden>secret</p>',
    '<span style="color: red; DISPLAY : none">20260105</span>',
    '<datalist><option>x</datalist>',
  ])('leaves out %s', (html) => {
    expect(textOf(`before ${html} after`)).toBe('before after');
  });

  it('shows what merely looks hidden', () => {
    expect(textOf('<p style="display:block">a</p><p aria-hidden="true">b</p><p data-hidden>c</p>')).toBe('a b c');
  });

  it('of a page is that of its body', () => {
    const page = samplePage('<html><head><title>T</title><style>x</style></head><body><h1>Case</h1>one</body></html>');
    expect(page.text()).toBe('Case one');
    expect(page.text('html')).toBe('Case one');
  });

  it('of a hidden element is given when it is asked for itself', () => {
    const page = samplePage('<title>A  title</title><script> let x = 1 </script><p hidden>h <b>i</b></p>');
    expect(page.texts('title, script, p')).toEqual(['A title', 'let x = 1', 'h i']);
  });

  it('in XML is all of it, and no element separates words', () => {
    const page = sampleXml('<Case><Title>In <i>re</i>\n Smith<title>X</title></Title><![CDATA[ <b> ]]></Case>');
    expect(page.text('Title')).toBe('In re SmithX');
    expect(page.text()).toBe('In re SmithX <b>');
  });

  it('has its normal form whatever the page', () => {
    const markup = fc.constantFrom(
      ...[
        '<p>',
        '</p>',
        '<b>',
        '</b>',
        '<br>',
        '<td>',
        '<tr>',
        '<table>',
        '</table>',
        '<script>',
        '</script>',
        '<div>',
      ],
      ...[
        '</div>',
        '<li>',
        '<pre>',
        '</pre>',
        '&nbsp;',
        '&shy;',
        ' ',
        '\n',
        'word',
        'é',
        '<p hidden>',
        '<',
        '&',
        '<!--',
        '-->',
      ],
    );
    fc.assert(
      fc.property(fc.array(markup, { maxLength: 60 }), (parts) => {
        const page = samplePage(parts.join(''));
        expect(page.text()).not.toMatch(/^\s|\s$|\s\s|[^\S ]/);
        expect(page.lines().join(' ')).toBe(page.text());
        for (const line of page.lines()) expect(line).toMatch(/^\S(?:.*\S)?$/u);
      }),
    );
  });
});

describe('visible lines', () => {
  it('end where a browser ends them', () => {
    expect(linesOf('  one <b>and\n a half</b><br>two<p>three</p>\n\n<div>four</div> five ')).toEqual([
      'one and a half',
      'two',
      'three',
      'four',
      'five',
    ]);
  });

  it('are the rows of a table', () => {
    expect(linesOf('<table>\n<tr><th>No.<th>Title\n<tr><td>1</td>\n<td>In re\nX</td></tr></table>')).toEqual([
      'No. Title',
      '1 In re X',
    ]);
  });

  it('are kept in preformatted text, also when it is asked itself or around it', () => {
    expect(linesOf('a\nb<pre>one\ntwo <b>2\r\n3</b>\n</pre>c\nd')).toEqual(['a b', 'one', 'two 2', '3', 'c d']);
    expect(samplePage('<pre>one\ntwo</pre>').lines('pre')).toEqual(['one', 'two']);
    expect(linesOf('<pre>a\n<textarea>b\nc</textarea>d\ne</pre>f\ng')).toEqual(['a', 'b', 'c', 'd', 'e', 'f g']);
  });

  it('are none for nothing, and one for an attribute', () => {
    expect(linesOf(' <br> ')).toEqual([]);
    expect(samplePage('<a title=" x\ny ">').lines('//a/@title')).toEqual(['x y']);
    expect(samplePage('<a title="">').lines('//a/@title')).toEqual([]);
  });
});
