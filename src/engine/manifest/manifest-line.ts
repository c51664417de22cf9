// A line of a manifest, in the format of `sha256sum`: the hash, two spaces, the path. A path with a backslash or a line break
// is escaped, and its line begins with a backslash. Pure.

export interface ManifestEntry {
  /** Relative to the data directory, with `/` between its parts. */
  readonly path: string;
  /** Lower-case hex. */
  readonly sha256: string;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };
const UNESCAPED: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\r': '\r' };

export function formatManifestLine({ path, sha256 }: ManifestEntry): string {
  const escaped = path.replace(/[\\\n\r]/g, (character) => ESCAPES[character] ?? character);
  return `${escaped === path ? '' : '\\'}${sha256}  ${escaped}`;
}

/** Undefined when it is no such line. */
export function parseManifestLine(line: string): ManifestEntry | undefined {
  const [, escaped, sha256, name] = /^(\\?)([0-9a-f]{64}) [ *](.+)$/i.exec(line) ?? [];
  if (sha256 === undefined || name === undefined) return undefined;
  const path = escaped === '' ? name : name.replace(/\\[\\nr]/g, (pair) => UNESCAPED[pair] ?? pair);
  return { path, sha256: sha256.toLowerCase() };
}
