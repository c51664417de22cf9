// A page that is JSON. What is not says where it stops being JSON, and shows the place.

import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import type { Json } from '../../platform/json.ts';
import { jsonErrorPosition } from './json-error-position.ts';
import type { PageReference } from './structure-error.ts';

const SHOWN_BEFORE = 20;
const SHOWN_AFTER = 40;

/** The value that `text` stands for. Throws `invalid_json` when it is not JSON. */
export function parseJson(text: string, page: PageReference): Json {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const at = jsonErrorPosition(text);
    const excerpt = JSON.stringify(text.slice(Math.max(0, at - SHOWN_BEFORE), at + SHOWN_AFTER));
    const place = at >= text.length ? `ends too early at position ${at}` : `is wrong at position ${at}`;
    const where = page.archivedAs === undefined ? page.url : `${page.url} (archived as ${page.archivedAs})`;
    throw new CurlewError(ErrorCode.invalidJson, `The JSON ${place}, near ${excerpt}, on ${where}`, {
      remedy: /^\s*</.test(text)
        ? 'The page is HTML or XML. Read it with selectors, or ask for the address that gives JSON.'
        : 'Look at the archived body; if the site sends more than JSON, cut it out of page.source and parse that.',
      cause,
    });
  }
}
