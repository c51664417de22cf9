// The characters of paths. A rule with any other cannot match these paths, and that shows in the rule alone: a regular
// expression finds those that have no other in a text, whatever their number.

/** Those that a rule can share with a path: ASCII, without what ends a rule. */
const SHARED = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)).filter((one) => !/[\n#]/.test(one));

const ESCAPE_LENGTH = '%C3'.length;

export class Alphabet {
  readonly #known: string;
  readonly #unknown: RegExp;

  constructor(paths: string) {
    const known = SHARED.filter((one) => paths.includes(one));
    this.#known = known.join('');
    this.#unknown = new RegExp(oneOf(SHARED.filter((one) => !known.includes(one))));
  }

  covers(path: string): boolean {
    return !this.#unknown.test(path);
  }

  with(path: string): Alphabet {
    return new Alphabet(this.#known + path);
  }

  /**
   * A regular expression for values, or the beginnings of values, that have no other characters, wildcards apart, and may be
   * longer than `length` when they are compared.
   */
  values(length = -1): string {
    // Bytes above ASCII are compared as escapes, and then are three. Blanks may follow any value.
    const hasEscapes = this.#known.includes('%');
    const least = Math.ceil((length + 1) / (hasEscapes ? ESCAPE_LENGTH : 1));
    return `${oneOf([...this.#known, ...'*$\t\v\f \r'], hasEscapes ? '\\x80-\\xff' : '')}{${least},}`;
  }
}

function oneOf(characters: readonly string[], more = ''): string {
  return `[${characters.map((one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}${more}]`;
}
