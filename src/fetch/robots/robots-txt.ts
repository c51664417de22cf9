// RFC 9309, and where it leaves room or sites err, the habits of Google's reference parser. Takes any bytes, never
// throws, and takes time linear in the file. Nothing is read before it is asked for, and of the groups only those for the
// agent that asks.

import { sectionsFor } from './agent-sections.ts';
import { CRAWL_DELAY, RULE, RULE_OR_DELAY, type Sections, SITEMAP } from './robots-field.ts';
import { pathOfUrl } from './robots-path.ts';
import { RobotsText } from './robots-text.ts';
import { type MatchedRule, RuleSet } from './rule-set.ts';

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

/** Parses robots.txt. Bytes should be UTF-8; any bytes and any string are taken. */
export function parseRobots(text: string | Uint8Array): RobotsTxt {
  return new ParsedRobots(new RobotsText(bytesOf(text)));
}

class ParsedRobots implements RobotsTxt {
  readonly #robots: RobotsText;
  #answers: Answers | undefined;
  #sitemaps: readonly string[] | undefined;

  constructor(robots: RobotsText) {
    this.#robots = robots;
  }

  get sitemaps(): readonly string[] {
    this.#sitemaps ??= SITEMAP.values(this.#robots.text);
    return this.#sitemaps;
  }

  isAllowed(agent: string, url: string | URL): boolean {
    return this.#strongest(agent, url)?.kind !== 'disallow';
  }

  verdict(agent: string, url: string | URL): RobotsVerdict {
    const rule = this.#strongest(agent, url);
    if (rule === undefined) return { kind: 'allowed', rule };
    const line = this.#robots.lineNumber(rule.at);
    const value = this.#robots.value(rule.at);
    return rule.kind === 'disallow'
      ? { kind: 'disallowed', rule: { line, text: `Disallow: ${value}` } }
      : { kind: 'allowed', rule: { line, text: `Allow: ${value}` } };
  }

  crawlDelay(agent: string): number | undefined {
    return this.#answersTo(agent).crawlDelay;
  }

  #strongest(agent: string, url: string | URL): MatchedRule | undefined {
    return this.#answersTo(agent).rules.strongest(pathOfUrl(typeof url === 'string' ? url : url.href));
  }

  // Whoever asks goes on asking for one agent: the last answers are kept.
  #answersTo(agent: string): Answers {
    if (this.#answers?.agent !== agent) this.#answers = new Answers(this.#robots, agent);
    return this.#answers;
  }
}

/** What a file says to one agent. */
class Answers {
  readonly agent: string;
  readonly #robots: RobotsText;
  #sections: Sections | undefined;
  #rules: RuleSet | undefined;
  #crawlDelay: { readonly seconds: number | undefined } | undefined;

  constructor(robots: RobotsText, agent: string) {
    this.#robots = robots;
    this.agent = agent;
  }

  get rules(): RuleSet {
    this.#rules ??= new RuleSet(this.#robots, this.#ruled);
    return this.#rules;
  }

  /** Where its rules stand. */
  get #ruled(): Sections {
    this.#sections ??= sectionsFor(this.agent, this.#robots.text, RULE);
    return this.#sections;
  }

  get crawlDelay(): number | undefined {
    this.#crawlDelay ??= { seconds: this.#longestDelay() };
    return this.#crawlDelay.seconds;
  }

  #longestDelay(): number | undefined {
    const { text } = this.#robots;
    // A delay belongs to the agents named right above it, and ends their list though rules may follow for all. So it stands
    // nowhere but where rules do, and mostly there is none.
    if (CRAWL_DELAY.some(text, this.#ruled, 1).length === 0) return undefined;
    const places = CRAWL_DELAY.all(text, sectionsFor(this.agent, text, RULE_OR_DELAY));
    let longest: number | undefined;
    for (let index = 0; index < places.length; index++) {
      const delay = this.#robots.number(places[index] ?? 0);
      if (Number.isFinite(delay) && (longest === undefined || delay > longest)) longest = delay;
    }
    return longest;
  }
}

/** The bytes that count. */
function bytesOf(text: string | Uint8Array): Buffer {
  // One more than can count, by which it shows that there is more.
  const most = BYTE_ORDER_MARK.length + MAX_ROBOTS_BYTES + 1;
  const all = typeof text === 'string' ? Buffer.from(text.slice(0, most)) : viewOf(text.subarray(0, most));
  const whole = all.subarray(lengthOfByteOrderMark(all));
  if (whole.length <= MAX_ROBOTS_BYTES) return whole;
  // The line that the limit cuts in two is not what the site wrote: `Disallow: /` may be the start of a longer path.
  const bytes = whole.subarray(0, MAX_ROBOTS_BYTES);
  return bytes.subarray(0, Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('\r')) + 1);
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

// As in the reference parser, the first bytes of a mark count too.
function lengthOfByteOrderMark(bytes: Buffer): number {
  const differs = BYTE_ORDER_MARK.findIndex((byte, index) => bytes[index] !== byte);
  return differs === -1 ? BYTE_ORDER_MARK.length : differs;
}
