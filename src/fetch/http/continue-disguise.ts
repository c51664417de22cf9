// RFC 9110 §15.2: a client takes informational answers that it did not ask for. undici takes all but 100, which it calls a
// bad response. To a request that has been sent whole both say the same, so a 100 is passed on to its parser as a 102.
// Heads of informational answers are followed to their end and no further; whatever else comes is left as it is.

const STATUS_LINE = 'HTTP/1.x 1xx';
const STATUS_AT = STATUS_LINE.indexOf('1xx');
const CR = 0x0d;
const LF = 0x0a;
const ZERO = 0x30;
const TWO = 0x32;
/** What a head ends with. Parsers take nothing else for it. */
const HEAD_END = [CR, LF, CR, LF];

/** Where the bytes have come to. */
type Place = 'start' | 'fields' | 'elsewhere';

export class ContinueDisguise {
  #place: Place = 'elsewhere';
  /** How many bytes of what is looked for have been seen. */
  #seen = 0;
  /** The digits of the status, as far as they have come. */
  #isContinue = true;

  /** What comes now is the answer to a request. */
  begin(): void {
    this.#goTo('start');
  }

  /** Looks through the next bytes, and changes them where they say 100. */
  pass(chunk: Buffer): void {
    for (let index = 0; index < chunk.length && this.#place !== 'elsewhere'; index += 1) {
      const byte = chunk[index] ?? 0;
      if (this.#place === 'fields') this.#passField(byte);
      else if (this.#passStart(byte)) chunk[index] = TWO;
    }
  }

  /** True at the last digit of a 100. */
  #passStart(byte: number): boolean {
    // RFC 9112 §2.2: blank lines before a message; the parser passes over them.
    if (this.#seen === 0 && (byte === CR || byte === LF)) return false;
    const expected = STATUS_LINE[this.#seen];
    const fits = expected === 'x' ? isDigit(byte) : byte === expected?.charCodeAt(0);
    if (!fits) {
      this.#goTo('elsewhere');
      return false;
    }
    if (this.#seen > STATUS_AT && byte !== ZERO) this.#isContinue = false;
    this.#seen += 1;
    if (this.#seen < STATUS_LINE.length) return false;
    const isContinue = this.#isContinue;
    this.#goTo('fields');
    return isContinue;
  }

  #passField(byte: number): void {
    if (byte === HEAD_END[this.#seen]) this.#seen += 1;
    else this.#seen = byte === CR ? 1 : 0;
    if (this.#seen === HEAD_END.length) this.#goTo('start');
  }

  #goTo(place: Place): void {
    this.#place = place;
    this.#seen = 0;
    this.#isContinue = true;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}
