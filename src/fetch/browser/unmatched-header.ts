// The field that says of an archived page that nothing on it matched what it was waited for.

/** Its value is the selector, percent-encoded. */
export const UNMATCHED_HEADER = 'x-curlew-unmatched';
