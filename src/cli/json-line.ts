// JSON for one line of output. What came from a site may hold characters that steer a terminal or hide text; in JSON each
// of them has a harmless spelling that means the same.

/** DEL, the C1 controls, line and paragraph separators, and marks that change the direction of text. */
const STEERING = /[\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    STEERING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
