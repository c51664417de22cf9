import { expect, it } from 'vitest';
import { asCalled } from './as-called.ts';

const INSTALLED = ['node', '/project/node_modules/.bin/curlew'];

it.each([
  [
    'See curlew sites status; continue with curlew sites resume x.',
    [],
    'See npx curlew sites status; continue with npx curlew sites resume x.',
  ],
  [
    'Begin with curlew run, or curlew runs',
    ['--data', 'my data'],
    "Begin with npx curlew run --data 'my data', or npx curlew runs --data 'my data'",
  ],
  ['curlew sites resume x', ['--data=d'], 'npx curlew sites resume --data d x'],
  ['curlew resume latest', ['--data', 'd'], 'npx curlew resume --data d latest'],
  ['See curlew demo', ['--data', 'd'], 'See npx curlew demo'],
  ['curlew needs Node 24; import from curlew', ['--data', 'd'], 'curlew needs Node 24; import from curlew'],
])('%s with %j', (text, more, expected) => {
  expect(asCalled(text, [...INSTALLED, ...more])).toBe(expected);
});

it('a checkout is called by its path, and an installed command by its name', () => {
  const checkout = asCalled('curlew sites status', ['node', `${process.cwd()}/bin/curlew.js`]);
  expect(checkout).toBe('node bin/curlew.js sites status');
  expect(asCalled('curlew sites status', ['node', '/usr/local/bin/curlew'])).toBe('curlew sites status');
});
