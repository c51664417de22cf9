// From a CSS selector to a function that matches an element. What leads from one element to another (combinators,
// :nth-child, :has, :contains, …) is compiled here, so that no query takes more than linear time; the tests of an element
// itself (names, attributes, …) are those of css-select, and so is what a selector means.

import { _compileUnsafe } from 'css-select';
import { type PseudoSelector, parse, type Selector, SelectorType } from 'css-what';
import type { AnyNode, Element } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import { isElement } from '../xpath/xpath-node.ts';
import { after, below, childOf, parentElement, rightAfter } from './combinators.ts';
import { contains } from './contains.ts';
import { hasAfter, hasBelow, hasChild, hasRightAfter } from './has.ts';
import { both, either, type Matcher } from './matcher.ts';
import { NTH, nth, nthOf, PLACES } from './nth.ts';
import type { QueryEffort } from './query-effort.ts';

/** Where matches of a selector can lie, seen from the scope: beside it if it begins with `~`, right after it if with `+`. */
type Reach = 'below' | 'next' | 'beside';

export interface CompiledSelector {
  readonly matches: Matcher;
  readonly reach: Reach;
}

/** As css-select has it: in :is, :not and :has, what begins at the scope may also begin with the scope itself. */
type Token = Selector | { readonly type: 'at-or-below' };
type Rule = readonly Token[];
/** What `:scope` is: the top of the query, or the root element. In a query with a scope, all of a selector lies below it. */
type ScopeKind = 'top' | 'root';

/** Those of css-select's own pseudo-classes that lead from one element to another. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  [
    'disabled',
    ':is(:is(button, input, select, textarea, optgroup, option)[disabled], optgroup[disabled] > option, ' +
      'fieldset[disabled]:not(fieldset[disabled] legend:first-of-type *))',
  ],
  ['enabled', ':is(button, input, select, textarea, optgroup, option, fieldset):not(:disabled)'],
  ['checked', ':is(:is(input[type=radio], input[type=checkbox])[checked], :selected)'],
  ['selected', 'option:is([selected], select:not([multiple]):not(:has(> option[selected])) > :first-of-type)'],
  ['parent', ':not(:empty)'],
]);

const SEARCHES: ReadonlySet<string> = new Set(['contains', 'has', 'icontains']);

const NTH_OF = /^(.+?)\s+of\s+(.+)$/is;
const SCOPE: Selector = { type: SelectorType.Pseudo, name: 'scope', data: null };
const DESCENDANT: Selector = { type: SelectorType.Descendant };
const ADAPTER = { ...DomUtils, isTag: isElement };

/** Throws an Error when the selector is wrong. `scoped`: it is matched below the element that is the top of the query. */
export function compileSelector(
  selector: string,
  xml: boolean,
  scoped: boolean,
  effort: QueryEffort,
): CompiledSelector {
  const rules = parse(selector);
  const compiler = new SelectorCompiler(xml, effort);
  return { matches: compiler.list(rules, scoped ? 'top' : 'root', false), reach: reachOf(rules) };
}

class SelectorCompiler {
  readonly #xml: boolean;
  readonly #effort: QueryEffort;

  constructor(xml: boolean, effort: QueryEffort) {
    this.#xml = xml;
    this.#effort = effort;
  }

  /** `A, B, C` */
  list(rules: readonly Rule[], scope: ScopeKind, isNested = true): Matcher {
    return either(rules.map((rule) => this.#rule(absolute(rule, scope, isNested), scope) ?? (() => true)));
  }

  /** Undefined when it matches every element, as `*` does. */
  #rule(rule: Rule, scope: ScopeKind): Matcher | undefined {
    let matcher: Matcher | undefined;
    let compound: Token[] = [];
    for (const token of rule) {
      if (isCombinator(token)) {
        matcher = this.#combine(token, this.#compound(compound, scope, matcher) ?? (() => true));
        compound = [];
      } else compound.push(token);
    }
    return this.#compound(compound, scope, matcher);
  }

  #combine(combinator: Token, matches: Matcher): Matcher {
    switch (combinator.type) {
      case 'at-or-below':
        return either([matches, below(matches, this.#effort)]);
      case SelectorType.Descendant:
        return below(matches, this.#effort);
      case SelectorType.Child:
        return childOf(matches);
      case SelectorType.Adjacent:
        return rightAfter(matches);
      case SelectorType.Sibling:
        return after(matches, this.#effort);
      case SelectorType.Parent:
        return hasChild(matches, () => true, this.#effort);
      default:
        return this.#own([combinator], matches);
    }
  }

  /** Tests of one element: its own first, then `next`, at last those that search for something inside of it. */
  #compound(tokens: Rule, scope: ScopeKind, next: Matcher | undefined): Matcher | undefined {
    const own: Token[] = [];
    const tests: Matcher[] = [];
    const searches: Matcher[] = [];
    for (const token of tokens) {
      const matcher = token.type === SelectorType.Pseudo ? this.#pseudo(token, scope) : undefined;
      if (matcher === undefined) own.push(token);
      else if (token.type === SelectorType.Pseudo && SEARCHES.has(token.name)) searches.push(matcher);
      else tests.push(matcher);
    }
    const inOrder = [...tests, ...(next === undefined ? [] : [next]), ...searches];
    const rest = inOrder.reduceRight<Matcher | undefined>((later, test) => both(test, later), undefined);
    return own.length === 0 ? rest : this.#own(own, rest);
  }

  /** What css-select knows about an element itself. */
  #own(tokens: Token[], next: Matcher | undefined): Matcher {
    const known = tokens.filter((token) => token.type !== 'at-or-below');
    return _compileUnsafe<AnyNode, Element>([known], {
      xmlMode: this.#xml,
      adapter: ADAPTER,
      relativeSelector: false,
      ...(next === undefined ? {} : { rootFunc: next }),
    });
  }

  #pseudo(token: PseudoSelector, scope: ScopeKind): Matcher | undefined {
    const { name, data } = token;
    if (Array.isArray(data)) return this.#nested(token, data, scope);
    if (data !== null) return this.#withText(name, data, scope);
    const alias = ALIASES.get(name);
    if (alias !== undefined) return this.list(parse(alias), scope);
    if (name === 'scope') return scope === 'top' ? (element) => element === this.#effort.top : isRoot;
    if (name !== 'empty') return PLACES.get(name);
    const isEmpty = this.#own([token], undefined);
    return this.#effort.remembered((element) => {
      this.#effort.steps += element.children.length;
      return isEmpty(element);
    });
  }

  #nested(token: PseudoSelector, rules: Rule[], scope: ScopeKind): Matcher | undefined {
    switch (token.name) {
      case 'is':
      case 'matches':
      case 'where':
        return this.list(rules, scope);
      case 'not': {
        const matches = this.list(rules, scope);
        return (element) => !matches(element);
      }
      case 'has':
        // With an own :scope inside, it depends on the element that is asked, and nothing can be remembered.
        return rules.flat().some(includesScope) ? undefined : either(rules.map((rule) => this.#has(rule)));
      default:
        return undefined;
    }
  }

  #withText(name: string, text: string, scope: ScopeKind): Matcher | undefined {
    if (name === 'contains' || name === 'icontains') {
      return text === '' ? () => true : contains(text, name === 'icontains', this.#effort);
    }
    const kind = NTH.get(name);
    if (kind === undefined) return undefined;
    const [, formula, selector] = (kind.sameName ? null : NTH_OF.exec(text)) ?? [];
    if (formula === undefined || selector === undefined) return nth(kind, text);
    return nthOf(kind, formula, this.list(parse(selector.trim()), scope), this.#effort);
  }

  /** `:has(S)`; in `:has(A B)` and `:has(A > B)` the element itself may be A. */
  #has(rule: Rule): Matcher {
    const [head] = rule;
    if (head !== undefined && isCombinator(head)) return this.#relative(rule, true);
    const first = rule.findIndex(isCombinator);
    const inside = this.#relative([DESCENDANT, ...rule], true);
    if (first === -1 || !isInwards(rule[first])) return inside;
    const itself = this.#compound(rule.slice(0, first), 'root', this.#relative(rule.slice(first), true));
    return itself === undefined ? inside : either([itself, inside]);
  }

  /** A selector that begins with a combinator, compiled from its last part to its first. */
  #relative(rule: Rule, isFirst: boolean): Matcher {
    const [combinator, ...rest] = rule;
    if (combinator === undefined) return () => true;
    const end = rest.findIndex(isCombinator);
    const compound = end === -1 ? rest : rest.slice(0, end);
    const next = end === -1 ? undefined : this.#relative(rest.slice(end), false);
    return this.#hasOne(combinator, this.#compound(compound, 'root', next) ?? (() => true), isFirst);
  }

  #hasOne(combinator: Token, matches: Matcher, isFirst: boolean): Matcher {
    const isOpen = (element: Element) => this.#xml || element.name !== 'template';
    const opens = isFirst ? () => true : isOpen;
    switch (combinator.type) {
      case SelectorType.Descendant:
        return hasBelow(matches, opens, isOpen, this.#effort);
      case SelectorType.Child:
        return hasChild(matches, opens, this.#effort);
      case SelectorType.Adjacent:
        return hasRightAfter(matches);
      case SelectorType.Sibling:
        return hasAfter(matches, this.#effort);
      case SelectorType.Parent:
        return childOf(matches);
      default:
        return this.#own([combinator], matches);
    }
  }
}

/** Selectors 4 §3.4.1: what begins with a combinator begins at the scope, and so does all else in a query that has one. */
function absolute(rule: Rule, scope: ScopeKind, isNested: boolean): Rule {
  const [first, second, ...rest] = rule;
  if (first !== undefined && isCombinator(first)) return [SCOPE, ...rule];
  if (scope === 'root') return rule;
  const into: Token = isNested ? { type: 'at-or-below' } : DESCENDANT;
  if (!rule.some(includesScope)) return [SCOPE, into, ...rule];
  const beginsThere = first !== undefined && isScope(first) && second?.type === SelectorType.Descendant;
  return beginsThere ? [SCOPE, into, ...rest] : rule;
}

function reachOf(rules: readonly Rule[]): Reach {
  const beside = rules
    .map((rule) => absolute(rule, 'root', false))
    .filter(([first, second]) => {
      return first !== undefined && isScope(first) && second !== undefined && isBesides(second);
    });
  if (beside.length === 0) return 'below';
  // What has a :scope of its own is not held below the scope, and may match anywhere.
  const isNear = rules.flat().every((token) => token.type !== SelectorType.Sibling && !includesScope(token));
  return isNear && beside.every((rule) => rule.filter(isBesides).length === 1) ? 'next' : 'beside';
}

function isRoot(element: Element): boolean {
  return parentElement(element) === null;
}

function isScope(token: Token): boolean {
  return token.type === SelectorType.Pseudo && token.name === 'scope';
}

function includesScope(token: Token): boolean {
  if (token.type !== SelectorType.Pseudo) return false;
  return token.name === 'scope' || (Array.isArray(token.data) && token.data.flat().some(includesScope));
}

function isInwards(token: Token | undefined): boolean {
  return token?.type === SelectorType.Descendant || token?.type === SelectorType.Child;
}

function isBesides(token: Token): boolean {
  return token.type === SelectorType.Adjacent || token.type === SelectorType.Sibling;
}

function isCombinator(token: Token): boolean {
  switch (token.type) {
    case 'at-or-below':
    case SelectorType.Descendant:
    case SelectorType.Child:
    case SelectorType.Adjacent:
    case SelectorType.Sibling:
    case SelectorType.Parent:
    case SelectorType.ColumnCombinator:
      return true;
    default:
      return false;
  }
}
