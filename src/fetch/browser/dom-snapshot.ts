// A page as it stands after its scripts ran: the document serialised, in UTF-8, under headers that are true of it.

import type { HeaderList } from '../outcome.ts';

/** What `snapshotScript` gives. */
export interface RawSnapshot {
  readonly url: string;
  /** What Chromium made of the answer: `text/html`, `application/json`, … */
  readonly contentType: string;
  /** Null when the document is larger than was allowed. */
  readonly html: string | null;
}

/** To be evaluated in a world of our own. One expression, so that nothing changes between its parts. */
export function snapshotScript(maxCharacters: number): string {
  return `(() => {
    const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
    const html = type + (document.documentElement?.outerHTML ?? '');
    return { url: location.href, contentType: document.contentType, html: html.length > ${maxCharacters} ? null : html };
  })()`;
}

/** True from the `load` event on, and for a page that stopped itself, which never gets one. */
export const COMPLETE_SCRIPT = "document.readyState === 'complete'";

/** Resolves when what was due at once has been done. A timer would never fire where scripts are switched off. */
export const NEXT_TURN_SCRIPT = `new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => resolve(true);
  port2.postMessage(null);
})`;

/** What `matchScript` gives. `invalid`: that is no selector. */
export type Match = 'found' | 'missing' | 'invalid';

export function matchScript(selector: string): string {
  return `(() => {
    try {
      return document.querySelector(${JSON.stringify(selector)}) === null ? 'missing' : 'found';
    } catch {
      return 'invalid';
    }
  })()`;
}

/** Whether the DOM stands for the answer. Anything else Chromium shows in a viewer of its own making. */
export function isHtml(contentType: string): boolean {
  return contentType === 'text/html' || contentType === 'application/xhtml+xml';
}

const ABOUT_THE_BYTES: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'content-md5',
  'content-range',
  'transfer-encoding',
]);

/**
 * The headers for a body that is not the one on the wire. Fields that described that one are kept under
 * `x-archive-orig-…`, as web archives do; `contentType` is the type of the new body, where it differs.
 */
export function headersForBody(headers: HeaderList, contentType?: string): HeaderList {
  const renamed = headers.map(([name, value]): readonly [string, string] => {
    const lower = name.toLowerCase();
    const changed = ABOUT_THE_BYTES.has(lower) || (contentType !== undefined && lower === 'content-type');
    return changed ? [`x-archive-orig-${lower}`, value] : [name, value];
  });
  return contentType === undefined ? renamed : [...renamed, ['content-type', contentType]];
}
