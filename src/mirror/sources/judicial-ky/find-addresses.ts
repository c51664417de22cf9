// Every address that an answer of the court site names, the likeliest first: in JSON under whatever name, in JSON within
// text or text within JSON, in an anchor, or bare. Which of them is a file is for the caller to say. Pure.

import { Parser } from 'htmlparser2';

/** Where the site and other plugins like its own put the address of a file. */
const KNOWN_KEYS = [
  'fid',
  'url',
  'download_url',
  'downloadUrl',
  'file_url',
  'fileUrl',
  'href',
  'link',
  'location',
  'src',
];
const ADDRESS = /(?:https?:)?\/\/[^\s"'<>\\^`{|}]+/gi;
/** Text in text in text: nobody does that. */
const MOST_LAYERS = 4;
const MOST_ADDRESSES = 100;

/** Absolute addresses, each once. What is no address at all is left out; `about:blank` and the like are in. */
export function findAddresses(body: string): URL[] {
  const found = new Map<string, URL>();
  for (const text of addressesIn(body, 0)) {
    const url = URL.parse(text.startsWith('//') ? `https:${text}` : text);
    if (url !== null && found.size < MOST_ADDRESSES) found.set(url.href, url);
  }
  return [...found.values()];
}

/** The JSON that an answer is, or has in it behind notices of the server; undefined when there is none. */
export function jsonIn(body: string): unknown {
  const text = body.replace(/^\ufeff/, '').trim();
  const whole = parseJson(text);
  if (whole !== undefined) return whole;
  const start = text.search(/\{\s*"/);
  return start < 0 ? undefined : parseJson(text.slice(start, text.lastIndexOf('}') + 1));
}

function addressesIn(text: string, layer: number): string[] {
  if (layer > MOST_LAYERS) return [];
  const json = jsonIn(text);
  if (typeof json === 'object' && json !== null)
    return valuesOf(json).flatMap((value) => addressesIn(value, layer + 1));
  if (typeof json === 'string') return addressesIn(json, layer + 1);
  const plain = text.trim();
  // As WordPress escapes it, also where the whole is no JSON.
  if (/^[a-z][a-z0-9+.-]*:[^\s<>]+$/i.test(plain) || /^\/\/[^\s<>]+$/.test(plain))
    return [plain.replaceAll('\\/', '/')];
  // The full stop of a sentence is none of the address.
  const bare = (text.replaceAll('\\/', '/').match(ADDRESS) ?? []).map((found) => found.replace(/[.,;:!?)\]]+$/, ''));
  return [...linksIn(text), ...bare];
}

/** Every text in it: what stands under a known name first, and what is outside before what is inside. */
function valuesOf(json: object): string[] {
  const known: string[] = [];
  const others: string[] = [];
  let level: object[] = [json];
  for (let depth = 0; level.length > 0 && depth < 10; depth++) {
    const below: object[] = [];
    for (const entry of level) {
      const values = Object.entries(entry) as [string, unknown][];
      for (const key of KNOWN_KEYS)
        for (const [name, value] of values) if (name === key && typeof value === 'string') known.push(value);
      for (const [name, value] of values) {
        if (typeof value === 'string' && !KNOWN_KEYS.includes(name)) others.push(value);
        if (typeof value === 'object' && value !== null) below.push(value);
      }
    }
    level = below;
  }
  return [...known, ...others];
}

/** What the elements of a piece of HTML lead to. Character references are undone by the parser. */
function linksIn(html: string): string[] {
  const links: string[] = [];
  const parser = new Parser({
    onopentag(_name, attributes) {
      for (const [name, value] of Object.entries(attributes)) {
        if (/^(?:href|src|action|content|data-.*)$/.test(name)) links.push(...(value.match(ADDRESS) ?? []));
      }
    },
  });
  parser.end(html);
  return links;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
