import { expect, it } from 'vitest';
import { parsePrometheusText, total } from './prometheus-text.ts';

const HEAD = '# HELP a_total Things\n# TYPE a_total counter\n';

it('reads what Prometheus reads', () => {
  const families = parsePrometheusText(`${HEAD}a_total{host="x:1",path="a\\"b\\\\"} 1\n\na_total{host="y"} 2e3\n`);
  expect(total(families, 'a_total')).toBe(2_001);
  expect(families.get('a_total')?.samples[0]?.labels).toEqual({ host: 'x:1', path: 'a\\"b\\\\' });
});

it.each([
  ['no end', `${HEAD}a_total 1`],
  ['no type', '# HELP a_total Things\na_total 1\n'],
  ['no help', '# TYPE a_total counter\na_total 1\n'],
  ['two types', `${HEAD}# TYPE a_total counter\n`],
  ['an unknown type', '# HELP a Things\n# TYPE a number\n'],
  ['a strange name', `${HEAD}a-total 1\n`],
  ['a sample of another', `${HEAD}b_total 1\n`],
  ['no number', `${HEAD}a_total one\n`],
  ['a negative counter', `${HEAD}a_total -1\n`],
  ['a counter without _total', '# HELP a Things\n# TYPE a counter\na 1\n'],
  ['a series twice', `${HEAD}a_total{x="1"} 1\na_total{x="1"} 2\n`],
  ['a label twice', `${HEAD}a_total{x="1",x="2"} 1\n`],
  ['an open label', `${HEAD}a_total{x="1} 1\n`],
  ['a bare newline in a label', `${HEAD}a_total{x="1\n"} 1\n`],
  [
    'buckets that fall',
    '# HELP h H\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
  ],
  ['no last bucket', '# HELP h H\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n'],
])('refuses %s', (_, text) => {
  expect(() => parsePrometheusText(text)).toThrow();
});
