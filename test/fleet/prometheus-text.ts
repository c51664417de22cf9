// Reads the text format of Prometheus, version 0.0.4, and is strict: what a scraper would refuse or misread is an error.

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary' | 'untyped';
  readonly help: string;
  readonly samples: readonly Sample[];
}

const COMMENT = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;
const TYPES: readonly string[] = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

/** Families by name. Throws an error with the line that is wrong. */
export function parsePrometheusText(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Family & { samples: Sample[] }>();
  const help = new Map<string, string>();
  const series = new Set<string>();
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const fail = (why: string): never => {
      throw new Error(`${why}: ${line}`);
    };
    if (line === '') continue;
    if (line.startsWith('#')) {
      const [, kind = '', name = '', rest = ''] = COMMENT.exec(line) ?? fail('not HELP or TYPE');
      if (kind === 'HELP') {
        if (help.has(name)) fail('a second HELP');
        help.set(name, rest);
        continue;
      }
      if (!TYPES.includes(rest)) fail('no such type');
      if (families.has(name)) fail('a second TYPE');
      families.set(name, { type: rest as Family['type'], help: help.get(name) ?? fail('no HELP before'), samples: [] });
      current = name;
      continue;
    }
    const [, name = '', labelText = '', valueText = ''] = SAMPLE.exec(line) ?? fail('not a sample');
    const family = families.get(current) ?? fail('a sample before its TYPE');
    const suffixes = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    if (!suffixes.some((suffix) => name === current + suffix)) fail(`a sample among those of ${current}`);
    if (series.has(`${name}{${labelText}}`)) fail('the same series twice');
    series.add(`${name}{${labelText}}`);
    family.samples.push({ name, labels: readLabels(labelText, fail), value: readValue(valueText, fail) });
  }
  for (const [name, family] of families) check(name, family);
  return families;
}

function readLabels(text: string, fail: (why: string) => never): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== ''; ) {
    const [all, name = '', value = ''] = LABEL.exec(rest) ?? fail('labels that cannot be read');
    if (name in labels) fail('a label twice');
    labels[name] = value;
    rest = rest.slice(all.length);
  }
  return labels;
}

function readValue(text: string, fail: (why: string) => never): number {
  const value = { '+Inf': Infinity, '-Inf': -Infinity, NaN: Number.NaN }[text] ?? Number(text);
  return Number.isNaN(value) && text !== 'NaN' ? fail('not a number') : value;
}

function check(name: string, { type, samples }: Family): void {
  if (type === 'counter' && (!name.endsWith('_total') || samples.some(({ value }) => !(value >= 0)))) {
    throw new Error(`${name} is no counter`);
  }
  if (type !== 'histogram') return;
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
  const counts = buckets.map(({ value }) => value);
  const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('+Inf', 'Infinity')));
  const rises = (values: readonly number[]) =>
    values.every((value, index) => index === 0 || value >= (values[index - 1] ?? 0));
  const total = samples.find((sample) => sample.name === `${name}_count`)?.value;
  const hasSum = samples.some((sample) => sample.name === `${name}_sum`);
  if (!rises(counts) || !rises(bounds) || bounds.at(-1) !== Infinity || counts.at(-1) !== total || !hasSum) {
    throw new Error(`${name} is no histogram`);
  }
}

/** The sum over all series of a name. 0 when there are none. */
export function total(families: ReadonlyMap<string, Family>, name: string): number {
  const all = [...families.values()].flatMap(({ samples }) => samples);
  return all.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0);
}
