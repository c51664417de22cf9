// Which parts of robots.txt are meant for an agent. RFC 9309 §2.2.1: those of every group that names it, taken together;
// those for `*` only where no group does. A group is a run of `User-agent` lines, with all that follows up to the next.
// Only groups for the agent are stepped through, for a file may have tens of thousands of others.

import { AGENT, enlarged, NO_END, type RobotsField, type Sections } from './robots-field.ts';
import { MAX_LINE_BYTES } from './robots-text.ts';

/** What follows these in a value (a version, a word) is no part of the name. */
const LETTER = '[a-z_-]';
const EVERYONE = '\\*(?:[\\t\\v\\f \\r\\n#]|$)';

const NOTHING: Sections = new Uint32Array();

/**
 * The sections for `agent`, in their order; none overlaps another. A line with the field `ending` ends a run of agents: one
 * that comes later begins a new group.
 */
export function sectionsFor(agent: string, text: string, ending: RobotsField): Sections {
  // No line holds a longer name.
  const mayBeNamed = agent.length <= MAX_LINE_BYTES && isProductToken(agent);
  const named = mayBeNamed ? sectionsOf(`${agent}(?!${LETTER})`, text, ending) : NOTHING;
  return named.length > 0 ? named : sectionsOf(EVERYONE, text, ending);
}

/** RFC 9309 §2.2.1: letters, `_` and `-`. */
export function isProductToken(text: string): boolean {
  return new RegExp(`^${LETTER}+$`, 'i').test(text);
}

/** The sections for agents that are written as the regular expression `value` says. */
function sectionsOf(value: string, text: string, ending: RobotsField): Sections {
  const meant = AGENT.whose(value);
  const others = AGENT.whose(`(?!${value})`);
  const isMeant = new RegExp(value, 'imy');

  const endOf = (from: number): number => {
    let at = from;
    let other = 0;
    while (other < Number.POSITIVE_INFINITY) {
      const nextGroup = AGENT.next(text, ending.next(text, at));
      isMeant.lastIndex = nextGroup;
      if (!isMeant.test(text)) return nextGroup;
      at = nextGroup;
      // Where none but the agent is named any more, there is no need to step through what follows.
      if (other < at) other = others.next(text, at);
    }
    return other;
  };

  let sections = new Uint32Array(64);
  let count = 0;
  for (let from = meant.next(text, 0); from < Number.POSITIVE_INFINITY; ) {
    const to = endOf(from);
    if (count === sections.length) sections = enlarged(sections);
    sections[count++] = from;
    sections[count++] = Math.min(to, NO_END);
    from = meant.next(text, to);
  }
  return sections.slice(0, count);
}
