// What the addresses of list pages say about each other: whether a redirect still leads to the page that was asked for, and
// which links lead to pages further on. Pure.

/** A link on a list page. */
export interface PageLink {
  /** Canonical; of what has no address, such as a button, its start tag. */
  readonly url: string;
  readonly text: string;
  /** Whether the site marks it as the next page (`rel=next`). */
  readonly isNext: boolean;
}

/** Where a page stands in its list, to tell which links lead beyond it. */
export interface PagePlace {
  readonly url: string;
  /** The address of the page before; undefined for the first. */
  readonly previousUrl: string | undefined;
  /** The text of the next link on the page before. */
  readonly nextText: string | undefined;
}

/**
 * Whether an answer from `landed` is still the page that was asked for as `asked`: the same host, the same path, and every
 * parameter as it was. Another scheme, `www.`, a trailing slash, a session in the path and further parameters make no difference.
 */
export function isSamePage(asked: string, landed: string): boolean {
  if (asked === landed) return true;
  const [from, to] = [new URL(asked), new URL(landed)];
  if (hostOf(from) !== hostOf(to) || pathOf(from) !== pathOf(to)) return false;
  return [...from.searchParams].every(([name, value]) => to.searchParams.getAll(name).includes(value));
}

/**
 * The links that look like pages of the list beyond this one: marked as next, with the text that the next link of the page
 * before had, or with the address of this page and a higher page number. Whether they were read is not known here.
 */
export function findFurtherPages(links: readonly PageLink[], place: PagePlace): string[] {
  const { nextText } = place;
  const found = links.filter(
    ({ url, text, isNext }) =>
      url !== place.url && (isNext || (!!nextText && isSameText(text, nextText)) || hasHigherNumber(url, place)),
  );
  return [...new Set(found.map(({ url }) => url))];
}

/** The text of a next link if it tells which link that is; undefined when other links of the page have it too. */
export function tellingText(text: string | undefined, others: readonly PageLink[]): string | undefined {
  return text === undefined || others.some((other) => isSameText(other.text, text)) ? undefined : text;
}

/** Whether two links say the same: arrows, case and the word "page" make no difference. */
function isSameText(one: string, other: string): boolean {
  return plainText(one) === plainText(other);
}

function plainText(text: string): string {
  const lower = text.trim().toLowerCase();
  const words = lower.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  return words.replace(/ page$/, '') || lower;
}

function hasHigherNumber(url: string, { url: own, previousUrl }: PagePlace): boolean {
  const place = previousUrl === undefined ? undefined : differingNumber(previousUrl, own);
  if (place !== undefined) {
    // Some lists count down: their newest page has the highest number.
    const beyond = differingNumber(own, url);
    return (
      beyond?.index === place.index && Math.sign(beyond.second - beyond.first) === Math.sign(place.second - place.first)
    );
  }
  const beyond = differingNumber(own, url);
  if (beyond !== undefined) return PAGE_WORD.test(beyond.before) && beyond.second > beyond.first;
  return isNumberedForm(own, url);
}

/** What stands before a page number in an address: `?page=`, `/page/`, `&offset=`; not `?per_page=`. */
const PAGE_WORD =
  /(?:^|[/?&;]|(?<!per)[_-])(?:page|pageno|page_no|pagenum|paged|pg|p|seite|pagina|start|offset|skip)[=/-]$/i;

/** The one number in which two addresses differ; undefined when they differ in something else, or not at all. */
function differingNumber(
  one: string,
  other: string,
): { readonly index: number; readonly first: number; readonly second: number; readonly before: string } | undefined {
  const [a, b] = [one.split(/(\d+)/), other.split(/(\d+)/)];
  if (a.length !== b.length) return undefined;
  const differing = a.flatMap((part, index) => (part === b[index] ? [] : [index]));
  const [index] = differing;
  if (index === undefined || differing.length > 1 || index % 2 === 0) return undefined;
  return { index, first: Number(a[index]), second: Number(b[index]), before: a.slice(0, index).join('') };
}

/** Whether `url` is the unnumbered address `own` with a page number added: `/list` and `/list?page=2`. */
function isNumberedForm(own: string, url: string): boolean {
  const match = /^(.*?)(\d+)$/.exec(url);
  if (match === null || Number(match[2]) < 1 || !url.startsWith(own.replace(/\/$/, ''))) return false;
  const added = url.slice(own.replace(/\/$/, '').length, -(match[2] ?? '').length);
  return PAGE_WORD.test(added) && (Number(match[2]) > 1 || /start|offset|skip/i.test(added));
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^www\./, '');
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/;[^/]*/g, '').replace(/\/$/, '');
}
