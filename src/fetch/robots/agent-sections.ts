// Which parts of robots.txt are meant for an agent. RFC 9309 §2.2.1: those of every group that names it, taken together;
// those for `*` only where no group does. A group is a run of `User-agent` lines, with all that follows up to the next.

import type { RobotsField, Section } from './robots-field.ts';
import { Upcoming } from './upcoming.ts';

/**
 * The sections for `agent`, in their order; none overlaps another. `agents` is where the agents of the text are named; a
 * line with the field `ending` ends a run of them: one that comes later begins a new group.
 */
export function sectionsFor(
  agent: string,
  text: string,
  agents: readonly number[],
  ending: RobotsField,
): readonly Section[] {
  const isNamed = namedBy(agent);
  const end = new Upcoming((from) => ending.next(text, from));
  const named = new Sections();
  const everyone = new Sections();
  let previous = 0;
  for (const at of agents) {
    if (end.after(previous) < at) {
      named.close(at);
      everyone.close(at);
    }
    previous = at;
    if (isStar(text, at)) everyone.open(at);
    else if (isNamed(text, at)) named.open(at);
  }
  named.close(Number.POSITIVE_INFINITY);
  everyone.close(Number.POSITIVE_INFINITY);
  return named.closed.length > 0 ? named.closed : everyone.closed;
}

class Sections {
  readonly closed: Section[] = [];
  #from: number | undefined;

  open(at: number): void {
    // One that begins where the last one ends goes on with it.
    this.#from ??= this.closed.at(-1)?.to === at ? this.closed.pop()?.from : at;
  }

  close(at: number): void {
    if (this.#from !== undefined) this.closed.push({ from: this.#from, to: at });
    this.#from = undefined;
  }
}

const STAR = /\*(?=[\t\v\f \r\n#]|$)/y;

/** RFC 9309 §2.2.1: letters, `_` and `-`. */
export function isProductToken(text: string): boolean {
  return /^[a-z_-]+$/i.test(text);
}

/** `*` on its own, or with something behind a blank. */
function isStar(text: string, at: number): boolean {
  STAR.lastIndex = at;
  return STAR.test(text);
}

/** Does a value begin with the product token `agent`? What follows (a version, a word) is no part of it. */
function namedBy(agent: string): (text: string, at: number) => boolean {
  if (!isProductToken(agent)) return () => false;
  const name = agent.toLowerCase();
  return (text, at) => {
    const end = at + name.length;
    return text.slice(at, end).toLowerCase() === name && !isProductToken(text.charAt(end));
  };
}
