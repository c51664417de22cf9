// RFC 9309, and where it leaves room or sites err, the habits of Google's reference parser. Takes any bytes, never
// throws, and parses in time linear in the file: groups are shared by their agents, and a rule is only a place in the
// text until a URL comes near it.

import { assertNever } from '../../platform/errors.ts';
import { RobotsLines } from './robots-lines.ts';
import { pathOfUrl } from './robots-path.ts';
import { type MatchedRule, RuleList } from './rule-list.ts';

/** RFC 9309 §2.5: at least 500 KiB are read; what comes later is not. */
export const MAX_ROBOTS_BYTES = 500 * 1024;

/** The line of robots.txt that decided. */
export interface RobotsRule {
  /** Counted from 1. */
  readonly line: number;
  /** Field and value in one spelling: `Disallow: /path`. */
  readonly text: string;
}

/** May the agent fetch the URL, and which line says so. Allowed without a rule: nothing in the file speaks of it. */
export type RobotsVerdict =
  | { readonly kind: 'allowed'; readonly rule: RobotsRule | undefined }
  | { readonly kind: 'disallowed'; readonly rule: RobotsRule };

/** A parsed robots.txt. Immutable. Agents are product tokens (`curlew`), compared without case. */
export interface RobotsTxt {
  /**
   * May `agent` fetch `url`? A string must be escaped as in `URL.href`. The groups that name the agent count, else
   * those for `*`.
   */
  isAllowed(agent: string, url: string | URL): boolean;
  /** As `isAllowed`, with the line that decided. */
  verdict(agent: string, url: string | URL): RobotsVerdict;
  /** `Crawl-delay` for `agent` in seconds, as in the file: the largest, if there are several; undefined without any. */
  crawlDelay(agent: string): number | undefined;
  /** Every `Sitemap` value of the file, in order, as written. */
  readonly sitemaps: readonly string[];
}

/** What a run of `User-agent` lines introduces. */
interface Group {
  readonly rules: RuleList;
  readonly delays: number[];
}

const EVERYONE = '*';

/** Parses robots.txt. Bytes should be UTF-8; any bytes and any string are taken. */
export function parseRobots(text: string | Uint8Array): RobotsTxt {
  const bytes = bytesOf(text);
  const groupsOf = new Map<string, Group[]>();
  const sitemaps: string[] = [];
  let group: Group = { rules: new RuleList(bytes), delays: [] };
  let rulesBegun = false;

  const lines = new RobotsLines(bytes);
  while (lines.next()) {
    const { field, from, to, number: line } = lines;
    switch (field) {
      case 'agent':
        // Only rules end a group's list of agents. A delay belongs to the agents named above it and to no later one.
        if (rulesBegun) group = { rules: new RuleList(bytes), delays: [] };
        else if (group.delays.length > 0) group = { rules: group.rules, delays: [] };
        rulesBegun = false;
        join(groupsOf, productToken(bytes.slice(from, to)), group);
        break;
      case 'allow':
      case 'disallow': {
        rulesBegun = true;
        if (from < to) group.rules.add(field, from, to, line);
        // As in the reference parser: who allows a directory's index page allows the directory itself.
        const value = bytes.slice(from, to);
        const slash = value.lastIndexOf('/');
        if (field === 'allow' && value.startsWith('/index.htm', slash)) {
          group.rules.add('allow_directory', from, from + slash + 1, line);
        }
        break;
      }
      case 'crawl_delay': {
        const seconds = Number(/^\d+(?:\.\d+)?/.exec(bytes.slice(from, to))?.[0]);
        if (Number.isFinite(seconds)) group.delays.push(seconds);
        break;
      }
      case 'sitemap':
        if (from < to) sitemaps.push(fromBytes(bytes.slice(from, to)));
        break;
      default:
        assertNever(field);
    }
  }
  return new ParsedRobots(groupsOf, sitemaps);
}

class ParsedRobots implements RobotsTxt {
  readonly #groupsOf: ReadonlyMap<string, readonly Group[]>;
  readonly sitemaps: readonly string[];

  constructor(groupsOf: ReadonlyMap<string, readonly Group[]>, sitemaps: readonly string[]) {
    this.#groupsOf = groupsOf;
    this.sitemaps = sitemaps;
  }

  isAllowed(agent: string, url: string | URL): boolean {
    return this.verdict(agent, url).kind === 'allowed';
  }

  verdict(agent: string, url: string | URL): RobotsVerdict {
    const path = pathOfUrl(typeof url === 'string' ? url : url.href);
    let best: MatchedRule | undefined;
    for (const { rules } of this.#groups(agent)) best = rules.strongest(path, best);
    if (best === undefined) return { kind: 'allowed', rule: undefined };
    const value = fromBytes(best.value);
    return best.kind === 'disallow'
      ? { kind: 'disallowed', rule: { line: best.line, text: `Disallow: ${value}` } }
      : { kind: 'allowed', rule: { line: best.line, text: `Allow: ${value}` } };
  }

  crawlDelay(agent: string): number | undefined {
    let longest: number | undefined;
    for (const { delays } of this.#groups(agent)) {
      for (const delay of delays) longest = Math.max(delay, longest ?? 0);
    }
    return longest;
  }

  // RFC 9309 §2.2.1: all groups that name the agent count as one; `*` is only for agents that none names.
  #groups(agent: string): readonly Group[] {
    return this.#groupsOf.get(agent.toLowerCase()) ?? this.#groupsOf.get(EVERYONE) ?? [];
  }
}

function join(groupsOf: Map<string, Group[]>, agent: string, group: Group): void {
  const groups = groupsOf.get(agent);
  if (groups === undefined) groupsOf.set(agent, [group]);
  else if (groups.at(-1) !== group) groups.push(group);
}

// RFC 9309 §2.2.1: letters, `_` and `-`. What follows (a version, further words) is not part of the name.
function productToken(value: string): string {
  const end = value.search(/[^A-Za-z_-]/);
  if (end === 0 && /^\*(?:\s|$)/.test(value)) return EVERYONE;
  return (end === -1 ? value : value.slice(0, end)).toLowerCase();
}

/** One character per byte, up to the limit: so that every byte can be compared and escaped, valid UTF-8 or not. */
function bytesOf(text: string | Uint8Array): string {
  const all =
    typeof text === 'string'
      ? Buffer.from(text.slice(0, MAX_ROBOTS_BYTES + 4))
      : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const start = lengthOfByteOrderMark(all);
  const bytes = all.toString('latin1', start, Math.min(all.length, start + MAX_ROBOTS_BYTES));
  if (all.length - start <= MAX_ROBOTS_BYTES) return bytes;
  // The line that the limit cuts in two is not what the site wrote: `Disallow: /` may be the start of a longer path.
  return bytes.slice(0, Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('\r')) + 1);
}

// As in the reference parser, the first bytes of a mark count too.
function lengthOfByteOrderMark(bytes: Buffer): number {
  const mark = [0xef, 0xbb, 0xbf];
  const differs = mark.findIndex((byte, index) => bytes[index] !== byte);
  return differs === -1 ? mark.length : differs;
}

function fromBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
