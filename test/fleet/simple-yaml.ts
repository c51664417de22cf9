// Reads the part of YAML that our compose file keeps to: maps, lists of scalars, comments. All scalars are text. Anything else
// is an error, so that the file stays that simple.

export type SimpleYaml = string | readonly string[] | { readonly [key: string]: SimpleYaml };

interface Line {
  readonly indent: number;
  readonly text: string;
}

export function readSimpleYaml(source: string): SimpleYaml {
  const lines = source
    .split('\n')
    .filter((line) => !/^\s*(#.*)?$/.test(line))
    .map((line): Line => ({ indent: line.search(/\S/), text: line.trim() }));
  return readBlock(lines, 0);
}

function readBlock(lines: Line[], indent: number): SimpleYaml {
  if (lines[0]?.text.startsWith('- ')) return readList(lines, indent);
  const map: Record<string, SimpleYaml> = {};
  for (let line = lines[0]; line !== undefined && line.indent === indent; line = lines[0]) {
    const [, key = '', value = ''] = /^([\w.-]+):(?: (.*))?$/.exec(line.text) ?? fail(line);
    if (key in map) fail(line);
    lines.shift();
    const next = lines[0];
    const nested = value === '' && next !== undefined && next.indent > indent;
    map[key] = nested ? readBlock(lines, next.indent) : scalar(value, line);
  }
  if (lines[0] !== undefined && lines[0].indent > indent) fail(lines[0]);
  return map;
}

function readList(lines: Line[], indent: number): string[] {
  const items: string[] = [];
  for (let line = lines[0]; line?.indent === indent && line.text.startsWith('- '); line = lines[0]) {
    items.push(scalar(line.text.slice(2), line));
    lines.shift();
  }
  return items;
}

function scalar(text: string, line: Line): string {
  if (/^"[^"\\]*"$/.test(text)) return text.slice(1, -1);
  // What is not plain text for YAML, or would be read as something else by some.
  if (/^[[{&*!|>%@`'"]|: |\s#|^(yes|no|on|off|true|false|null|~|\d+\.\d+)$/i.test(text)) fail(line);
  return text;
}

function fail({ text }: Line): never {
  throw new Error(`not as simple as it should be: ${text}`);
}
