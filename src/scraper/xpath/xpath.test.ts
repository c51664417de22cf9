import type { Document } from 'domhandler';
import { parseDocument } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { CurlewError } from '../../platform/errors.ts';
import { compileXPath, stringValue, type XPathNode } from './xpath.ts';

const page = parseDocument(
  '<!doctype html><html lang="en-GB"><body><div id="a" class="x y"><p n="1">one</p><p n="2">two</p></div><p id="a">three</p></body></html>',
);

function evaluate(expression: string, context: XPathNode = page) {
  const result = compileXPath(expression).evaluate(context);
  return result.kind === 'nodes' ? result.nodes.map(stringValue) : result.value;
}

function errorOf(expression: string): CurlewError {
  try {
    compileXPath(expression);
  } catch (error) {
    if (error instanceof CurlewError) return error;
  }
  throw new Error(`${expression} was accepted`);
}

describe('compileXPath', () => {
  it('gives each of the four types with its kind', () => {
    expect(compileXPath('//p').evaluate(page)).toMatchObject({ kind: 'nodes', nodes: [{ name: 'p' }, {}, {}] });
    expect(compileXPath('string(//p)').evaluate(page)).toEqual({ kind: 'string', value: 'one' });
    expect(compileXPath('count(//p)').evaluate(page)).toEqual({ kind: 'number', value: 3 });
    expect(compileXPath('//p = "two"').evaluate(page)).toEqual({ kind: 'boolean', value: true });
  });

  it('represents an attribute as a node with its owner', () => {
    const [attribute] = compileXPath('//p/@n').select(page);
    expect(attribute).toMatchObject({ type: 'attribute', name: 'n', value: '1', owner: { name: 'p' } });
  });

  it('takes any node as context, also an attribute, text or an element cut out of its page', () => {
    const [attribute] = compileXPath('//p[2]/@n').select(page);
    const [text] = compileXPath('//p[2]/text()').select(page);
    expect(evaluate('../preceding-sibling::p', attribute)).toEqual(['one']);
    expect(evaluate('ancestor::div/@id', text)).toEqual(['a']);
    const [element] = parseDocument('<div><p>alone</p></div>').children;
    if (element !== undefined) element.parent = null;
    expect(evaluate('/p', element)).toEqual(['alone']);
  });

  it('starts with position and size 1', () => {
    expect(evaluate('position() + last()')).toBe(2);
  });

  it('refuses to select when the expression does not give nodes', () => {
    const select = () => compileXPath('count(//p)').select(page);
    expect(select).toThrow(CurlewError);
    expect(select).toThrow('XPath "count(//p)" gives a number, but nodes were asked for');
  });

  it('keeps the 500 expressions that were used last', () => {
    const first = compileXPath('//first');
    const second = compileXPath('//second');
    for (let number = 0; number < 499; number++) {
      compileXPath(`//e${number}`);
      expect(compileXPath('//first')).toBe(first);
    }
    expect(compileXPath('//second')).not.toBe(second);
  });
});

describe('An error in an expression', () => {
  it('has the code selector_syntax and shows the place', () => {
    const error = errorOf('//a[@href = ]');
    expect(error.code).toBe('selector_syntax');
    expect(error.message).toBe(
      'XPath "//a[@href = ]" is wrong at position 12: expected an expression, found "]"\n  //a[@href = ]\n              ^',
    );
  });

  it('shows only the line it is in', () => {
    expect(errorOf('//a[\n  @href\n  foo()]').message).toContain('\n    foo()]\n    ^');
  });

  it.each([
    ['', 'position 0: expected an expression, found the end'],
    ['//', 'position 2: expected a step, found the end'],
    ['///a', 'position 2: expected a step, found "/"'],
    ['p[1', 'position 3: expected "]", found the end'],
    ['p]', 'position 1: expected an operator or the end, found "]"'],
    ['1 div2', 'position 2: expected an operator or the end, found "div2"'],
    ['p["x]', 'position 2: the string that begins here has no closing "'],
    ['a # b', 'position 2: unexpected character "#"'],
    ['@[1]', 'position 1: expected a name, "*" or a node test such as text(), found "["'],
    ['up::a', 'position 0: there is no axis "up", only ancestor, '],
    ['//a[$x]', 'position 4: variables are not supported'],
    ['//a[matches(., "x")]', 'position 4: there is no function matches()'],
    ['toString()', 'position 0: there is no function toString()'],
    ['contains("a")', 'position 0: contains() takes 2 arguments, found 1'],
    ['substring("a")', 'position 0: substring() takes 2 or 3 arguments, found 1'],
    ['concat("a")', 'position 0: concat() takes 2 or more arguments, found 1'],
    ['count("a")', 'position 6: expected nodes, found a string'],
    ['//a | 1', 'position 6: "|" needs nodes, found a number'],
    ['true()/a', 'position 0: a path needs nodes, found a boolean'],
    ['"a"[1]', 'position 0: a predicate needs nodes, found a string'],
    ['.[1]', 'position 1: expected an operator or the end, found "["'],
  ])('says about %s: %s', (expression, problem) => {
    expect(errorOf(expression).message).toContain(problem);
  });
});

describe('XPath on HTML', () => {
  it('does not see the doctype', () => {
    expect(evaluate('count(/node())')).toBe(1);
    expect(evaluate('count(/html/preceding-sibling::node())')).toBe(0);
  });

  it('compares prefixed names as they are written, and knows no namespaces', () => {
    const svg = parseDocument('<svg:g><svg:rect xlink:href="#a"></svg:rect></svg:g><rect></rect>');
    expect(compileXPath('//svg:rect').select(svg)).toHaveLength(1);
    expect(compileXPath('//svg:*').select(svg)).toHaveLength(2);
    expect(compileXPath('//@xlink:*').select(svg)).toHaveLength(1);
    expect(evaluate('//@xlink:href', svg)).toEqual(['#a']);
    expect(evaluate('local-name(//*)', svg)).toBe('svg:g');
    expect(compileXPath('//namespace::*').select(svg)).toEqual([]);
  });

  it('takes the first element with an id', () => {
    expect(evaluate('name(id("a"))')).toBe('div');
    expect(evaluate('count(id("a a b"))')).toBe(1);
  });

  it('knows the language from lang and xml:lang', () => {
    const french = parseDocument('<p xml:lang="fr" lang="en"><b>x</b></p>');
    expect(evaluate('count(//p[lang("EN")])')).toBe(3);
    expect(evaluate('count(//p[lang("en-gb")])')).toBe(3);
    expect(evaluate('count(//p[lang("en-US")])')).toBe(0);
    expect(evaluate('//b[lang("fr")]', french)).toEqual(['x']);
    expect(evaluate('lang("en")')).toBe(false);
  });

  it('reads only real attributes, whatever their name', () => {
    const odd = parseDocument('<p constructor="c">1</p><p>2</p>');
    expect(evaluate('//p[@constructor]', odd)).toEqual(['1']);
    expect(evaluate('//p[@toString or @__proto__ or @valueOf = ""]', odd)).toEqual([]);
    expect(evaluate('string(//p[2]/@constructor)', odd)).toBe('');
  });

  it('normalises only the white space of XML, not the no-break space', () => {
    expect(evaluate('normalize-space(" \u00a0 a \t\r\n b ")')).toBe('\u00a0 a b');
  });

  it('sees the processing instructions and CDATA sections of XML', () => {
    const xml = parseDocument('<?style href="a"?><r>x<![CDATA[<y>]]>z</r>', { xmlMode: true });
    expect(evaluate('//processing-instruction()', xml)).toEqual(['href="a"']);
    expect(evaluate('name(processing-instruction("style"))', xml)).toBe('style');
    expect(evaluate('processing-instruction("other")', xml)).toEqual([]);
    expect(evaluate('//text()', xml)).toEqual(['x', '<y>', 'z']);
    expect(evaluate('string(/)', xml)).toBe('x<y>z');
  });

  it('tests regular expressions with re:test, as in lxml', () => {
    expect(evaluate('//p[re:test(., "^t[wh]")]')).toEqual(['two', 'three']);
    expect(evaluate('re:test("ABC", "b")')).toBe(false);
    expect(evaluate('re:test("ABC", "b", "i")')).toBe(true);
    expect(() => evaluate('re:test("a", "(")')).toThrow('The pattern of re:test is wrong');
  });

  it('survives a page that nests fifty thousand elements', () => {
    const depth = 50_000;
    const deep: Document = parseDocument('<b>'.repeat(depth) + '<i>end</i>'.repeat(2));
    expect(evaluate('count(//b)', deep)).toBe(depth);
    expect(evaluate('//b//i', deep)).toEqual(['end', 'end']);
    expect(evaluate('//b/i[1]', deep)).toEqual(['end']);
    expect(evaluate('count(//b/b/..)', deep)).toBe(depth - 1);
    expect(evaluate('count(//b[1]/b)', deep)).toBe(depth - 1);
    expect(evaluate('count(//i/ancestor::*/following::i)', deep)).toBe(0);
    expect(evaluate('string(//i/preceding::i)', deep)).toBe('end');
    expect(evaluate('string-length(/)', deep)).toBe(6);
  });
});

describe('XPath as the recommendation says, where libxml2 does otherwise', () => {
  it('has no exponents in numbers', () => {
    expect(evaluate('number("1e3")')).toBeNaN();
    expect(errorOf('1e3').message).toContain('expected an operator');
  });

  it('counts what an element contains as following its attributes', () => {
    expect(evaluate('//div/@id/following::p')).toEqual(['one', 'two', 'three']);
  });

  it('writes numbers with all their digits and never with an exponent', () => {
    expect(evaluate('string(0.1 + 0.2)')).toBe('0.30000000000000004');
    expect(evaluate('string(1 div 3)')).toBe('0.3333333333333333');
    expect(evaluate('string(1000000000000 * 15000000000000)')).toBe('15000000000000000000000000');
    expect(evaluate('string(-0.0000001234)')).toBe('-0.0000001234');
  });
});
