// A page that is not built the way its step expects. The message is for the person who will mend the selector: what was
// looked for, how much of it there is, on which page, and where that page can be read again.

import { CurlewError, ErrorCode } from '../../platform/errors.ts';

/** The page an error is about. */
export interface PageReference {
  /** The final URL. */
  readonly url: string;
  /** Where the body is archived. */
  readonly archivedAs?: string | undefined;
}

/** What does not fit, as the parts of a message. */
export interface StructureProblem {
  /** The selector that did not fit; undefined when the problem is not one of selection. */
  readonly selector?: string;
  /** What the step wanted, completing "expected …": `exactly 1`. */
  readonly expected: string;
  /** What there is: `0`. */
  readonly actual: string;
  /** What happened, as a sentence without its full stop; where is added. */
  readonly summary: string;
  /** What helps to mend it, as one or more sentences. */
  readonly hint?: string | undefined;
}

/** Thrown when a page does not fit what its step asks of it. Its code is `structure`. */
export class StructureError extends CurlewError {
  override readonly name = 'StructureError';
  readonly selector: string | undefined;
  readonly expected: string;
  readonly actual: string;
  /** What is wrong, without the page: the same for all pages that are wrong in this way. */
  declare readonly summary: string;
  readonly url: string;
  readonly archivedAs: string | undefined;

  constructor(page: PageReference, problem: StructureProblem) {
    const where = page.archivedAs === undefined ? page.url : `${page.url} (archived as ${page.archivedAs})`;
    super(ErrorCode.structure, `${problem.summary} on ${where}`, {
      remedy: problem.hint ?? 'Compare the archived page with what the step expects, and correct the step.',
      summary: problem.summary.replace(/,$/, ''),
    });
    this.selector = problem.selector;
    this.expected = problem.expected;
    this.actual = problem.actual;
    this.url = page.url;
    this.archivedAs = page.archivedAs;
  }
}
