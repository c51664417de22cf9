// The rules for one agent, and which of them decides about a path: the longest that matches, on a tie the one that allows
// (RFC 9309 §2.2.2). Nothing is made of them but a list of where they stand, and only of those that the characters of the
// paths allow for: a crawler asks before anything of its own is compiled, and then to glance at these takes less time than to
// put all in order.

import { Alphabet } from './alphabet.ts';
import { Glance } from './glance.ts';
import { matchesPattern } from './path-pattern.ts';
import { ALLOW, DISALLOW, type Places, type RobotsField, type Sections } from './robots-field.ts';
import { escapePattern } from './robots-path.ts';
import { RobotsText } from './robots-text.ts';

/** One that matched. */
export interface MatchedRule {
  readonly kind: RuleKind;
  /** Where its value begins. */
  readonly at: number;
  /** Of its pattern. */
  readonly length: number;
}

type RuleKind = 'allow' | 'disallow';

const FIELDS: Readonly<Record<RuleKind, RobotsField>> = { allow: ALLOW, disallow: DISALLOW };

export class RuleSet {
  readonly #robots: RobotsText;
  readonly #sections: Sections;
  #candidates: Candidates | undefined;

  /** The rules of `sections`. */
  constructor(robots: RobotsText, sections: Sections) {
    this.#robots = robots;
    this.#sections = sections;
  }

  /** The rule that decides about `path` (`pathOfUrl`); undefined when none matches. */
  strongest(path: string): MatchedRule | undefined {
    const known = this.#candidates?.alphabet;
    if (!known?.covers(path)) {
      const alphabet = known?.with(path) ?? new Alphabet(path);
      this.#candidates = new Candidates(this.#robots, this.#sections, alphabet);
    }
    return this.#candidates?.strongest(path);
  }
}

/** End of value, comment or line. */
const END = '(?:[#\\n]|$)';
const INDEX_PAGE = '/index.htm';
const LF = 0x0a;
const DOLLAR = 0x24;

/** Those of the rules that may match a path with characters of `alphabet`. */
class Candidates {
  readonly alphabet: Alphabet;
  readonly #robots: RobotsText;
  readonly #sections: Sections;
  readonly #allow: RuleSearch;
  readonly #disallow: RuleSearch;
  #directories: RuleList | undefined;

  constructor(robots: RobotsText, sections: Sections, alphabet: Alphabet) {
    this.alphabet = alphabet;
    this.#robots = robots;
    this.#sections = sections;
    this.#allow = new RuleSearch('allow', robots, sections, alphabet);
    this.#disallow = new RuleSearch('disallow', robots, sections, alphabet);
  }

  strongest(path: string): MatchedRule | undefined {
    const glance = new Glance(path);
    const allowed = this.#allows(path, glance);
    return this.#disallow.longest(path, glance, allowed?.length) ?? allowed;
  }

  #allows(path: string, glance: Glance): MatchedRule | undefined {
    const allowed = this.#allow.longest(path, glance);
    if (!path.endsWith('/')) return allowed;
    this.#directories ??= this.#directoriesOfIndexPages();
    return this.#directories.longest(path, glance, allowed?.length) ?? allowed;
  }

  /** As in the reference parser: who speaks of a directory's index page speaks of the directory, and of nothing below it. */
  #directoriesOfIndexPages(): RuleList {
    const { text } = this.#robots;
    if (!text.includes(INDEX_PAGE)) return new RuleList('allow', this.#robots, new Uint32Array());
    const isIndexPage = `${this.alphabet.values()}/index\\.htm[^/#\\n]*${END}`;
    // They are written over their index pages, and so stand where these did.
    const bytes = Buffer.from(text, 'latin1');
    const places = ALLOW.whose(isIndexPage)
      .all(text, this.#sections)
      .filter((at) => {
        const slash = text.lastIndexOf('/', this.#robots.endOfValue(at));
        // Fields are found in any case; the name of a page has one.
        if (!text.startsWith(INDEX_PAGE, slash)) return false;
        bytes[slash + 1] = DOLLAR;
        bytes[slash + 2] = LF;
        return true;
      });
    return new RuleList('allow', new RobotsText(bytes), places);
  }
}

/** So many rules are compared with a path sooner than glanced at. */
const FEW = 8;

/**
 * Rules of one kind. For the first path a few are looked for, and then, more at a time, only those that are longer than what is
 * known to match: in a file full of rules that do, there are hardly any. Who asks again asks often, and for that all are put
 * in a list.
 */
class RuleSearch {
  readonly #kind: RuleKind;
  readonly #robots: RobotsText;
  readonly #sections: Sections;
  readonly #alphabet: Alphabet;
  #wasAsked = false;
  #list: RuleList | undefined;

  constructor(kind: RuleKind, robots: RobotsText, sections: Sections, alphabet: Alphabet) {
    this.#kind = kind;
    this.#robots = robots;
    this.#sections = sections;
    this.#alphabet = alphabet;
  }

  /** The longest that matches `path`, if it is longer than `most`; of several the first. An empty one matches nothing. */
  longest(path: string, glance: Glance, most = 0): MatchedRule | undefined {
    if (!this.#wasAsked) {
      this.#wasAsked = true;
      return this.#search(path, glance, most);
    }
    this.#list ??= this.#longerThan(0, Number.POSITIVE_INFINITY);
    return this.#list.longest(path, glance, most);
  }

  #search(path: string, glance: Glance, most: number): MatchedRule | undefined {
    let longest: MatchedRule | undefined;
    let after: number | undefined;
    for (let count = FEW; ; count *= FEW) {
      const length = longest?.length ?? most;
      const rules = this.#longerThan(length, count, after);
      longest = rules.longest(path, glance, length) ?? longest;
      if (rules.count < count) return longest;
      after = rules.last;
    }
  }

  #longerThan(length: number, count: number, after?: number): RuleList {
    const field = FIELDS[this.#kind].whose(`${this.#alphabet.values(length)}${END}`);
    return new RuleList(this.#kind, this.#robots, field.some(this.#robots.text, this.#sections, count, after));
  }
}

/** Rules of one kind: those whose values begin at `places`. */
class RuleList {
  readonly #kind: RuleKind;
  readonly #robots: RobotsText;
  readonly #places: Places;

  constructor(kind: RuleKind, robots: RobotsText, places: Places) {
    this.#kind = kind;
    this.#robots = robots;
    this.#places = places;
  }

  get count(): number {
    return this.#places.length;
  }

  /** Where the last of them begins. */
  get last(): number | undefined {
    return this.#places.at(-1);
  }

  /** As in a search. */
  longest(path: string, glance: Glance, most = 0): MatchedRule | undefined {
    const { text } = this.#robots;
    const places = this.#places;
    let longest: MatchedRule | undefined;
    let length = most;
    const next = (index: number) => (index < FEW ? index : glance.next(this.#robots.bytes, places, index, length));
    for (let index = next(0); index < places.length; index = next(index + 1)) {
      const at = places[index] ?? 0;
      const pattern = escapePattern(text.slice(at, this.#robots.endOfValue(at)));
      if (pattern.length <= length || !matchesPattern(pattern, path)) continue;
      length = pattern.length;
      longest = { kind: this.#kind, at, length };
    }
    return longest;
  }
}
