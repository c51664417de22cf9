// Segments are numbered from 1 and named so that they sort in the order of their numbers.

/** `curlew-00000001.warc.gz` for segment 1. */
export function segmentName(segment: number): string {
  return `curlew-${String(segment).padStart(8, '0')}.warc.gz`;
}

/** Undefined when it is not the name of a segment. */
export function segmentNumber(name: string): number | undefined {
  const [, digits] = /^curlew-(\d{8,})\.warc\.gz$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
