// The nonces of a page, wherever WordPress plugins put them: in an inline object of any name, a hidden input, a `data-*`
// attribute, or JSON in one. A page has several, for its login, its comments, its REST API; the likeliest for the
// download comes first. What the page says to its readers is no nonce, nor is the `nonce` of a content security policy. Pure.

export interface Nonce {
  readonly value: string;
  /** Where it stands; the same on the next page of the site. */
  readonly place: string;
}

interface Candidate extends Nonce {
  readonly likelihood: number;
}

const HEX = /^[0-9a-f]{10}$/i;
/** `name: "0123456789"`, with any quotes or none around the name, `=` for `:`, and quotes that are escaped. */
const PAIR = /(?<name>[\w$-]+)\\?["']?\]?\s*[:=]\s*\\?(?<quote>["'])(?<value>[0-9a-f]{10})\\?\k<quote>/gi;
const NAMED = /nonce|security|token|csrf/i;
/** As the site has called it. */
const OWN_NAMES: ReadonlySet<string> = new Set(['ajax_nonce', 'security', '_nonce', '_ajax_nonce']);
const OF_DOWNLOADS = /ajax|bfile|dl_|download|judg/i;
const OF_OTHERS = /wp-?api|rest|heartbeat|login|logout|comment|cart|woocommerce|emoji|customiz/i;
/** By its name alone it is as likely as this. */
const CERTAIN = 20;
/** A script as an address, as caches that put scripts off write it. */
const SCRIPT_ADDRESS = /^data:text\/javascript(?:;charset=[\w-]+)?(?<base64>;base64)?,(?<text>.*)$/is;

export class NonceFinder {
  readonly #found: Candidate[] = [];

  /** The text of an inline script, of whatever type. */
  script(text: string): void {
    for (const found of text.matchAll(PAIR)) {
      const { name = '', value = '' } = found.groups ?? {};
      if (NAMED.test(name)) this.#add('script', name, value, around(text, found.index));
    }
  }

  /** The attributes of any element. */
  element(tag: string, attributes: Readonly<Record<string, string>>): void {
    if (tag === 'input' && HEX.test(attributes.value ?? '')) {
      const name = attributes.name ?? attributes.id ?? '';
      if (NAMED.test(name)) this.#add('input', name, attributes.value ?? '', attributes.id ?? '');
    }
    const source = tag === 'script' ? SCRIPT_ADDRESS.exec(attributes.src ?? '')?.groups : undefined;
    if (source !== undefined) this.script(decodeScript(source));
    for (const [name, value] of Object.entries(attributes)) {
      if (!name.startsWith('data-')) continue;
      if (HEX.test(value) && NAMED.test(name)) this.#add('data', name, value, attributes.id ?? '');
      else if (value.includes('{')) this.script(value);
    }
  }

  /** The likeliest first, each value once. `certain`: only those that hardly belong to something else. */
  nonces(certain: boolean): Nonce[] {
    const kept = this.#found.filter(({ likelihood }) => !certain || likelihood >= CERTAIN);
    const sorted = kept.toSorted((one, other) => other.likelihood - one.likelihood);
    return [...new Map(sorted.toReversed().map((found) => [found.value, found])).values()]
      .reverse()
      .map(({ value, place }) => ({ value, place }));
  }

  #add(kind: string, name: string, value: string, context: string): void {
    const plain = name
      .toLowerCase()
      .replace(/^data-/, '')
      .replaceAll('-', '_');
    const place = `${kind} ${name}`;
    const before = this.#found.filter((found) => found.place.startsWith(`${place} #`)).length;
    const likelihood =
      (OWN_NAMES.has(plain) ? 30 : /nonce|security/.test(plain) ? 20 : 5) +
      (OF_DOWNLOADS.test(`${plain} ${context}`) ? 15 : 0) -
      (OF_OTHERS.test(`${plain} ${context}`) ? 25 : 0);
    this.#found.push({ value, place: `${place} #${before + 1}`, likelihood });
  }
}

/** The nonce that a button carries itself; undefined when it has none. */
export function nonceOfButton(attributes: Readonly<Record<string, string>>): string | undefined {
  const named = Object.entries(attributes).find(
    ([name, value]) => /^data-.*(?:nonce|security)/.test(name) && HEX.test(value),
  );
  return named?.[1];
}

/** The object that a pair stands in, as far as it can be told, with the name that it is given. */
function around(text: string, at: number): string {
  const open = text.lastIndexOf('{', at);
  const close = text.indexOf('}', at);
  return text.slice(
    Math.max(0, (open < 0 ? at : open) - 40, at - 500),
    close < 0 ? at + 200 : Math.min(close, at + 500),
  );
}

function decodeScript({ base64, text = '' }: Readonly<Record<string, string | undefined>>): string {
  try {
    return base64 === undefined ? decodeURIComponent(text) : Buffer.from(decodeURIComponent(text), 'base64').toString();
  } catch {
    return '';
  }
}
