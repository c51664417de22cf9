// Characters that act where text is shown instead of being shown: they steer a terminal, break a line, or turn the direction
// of what follows. JSON leaves most of them as they are.

/** DEL and the C1 controls, line and paragraph separators, marks and overrides of direction. The C0 controls are not here. */
const ACTING = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const CONTROL = /[\x00-\x1f]/g;

/** JSON, or text without C0 controls, with each of them in the spelling that JSON has for it. */
export function escapeActing(text: string): string {
  return text.replace(ACTING, asEscape);
}

/** Any text for a terminal: nothing in it acts. */
export function escapeControls(text: string): string {
  return escapeActing(text.replace(CONTROL, asEscape));
}

function asEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
