// Lets `import 'curlew'` work in a checkout, whose sources need no build: npm calls it after an install, and after packing, when
// what was compiled would soon be out of date. Plain old JavaScript: the Node that runs it may be too old for the rest.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const home = new URL('../', import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL('package.json', home), 'utf8'));

for (const { default: target } of Object.values(exports)) {
  if (target === undefined) continue;
  const source = target.replace('./dist/', '').replace(/\.js$/, '.ts');
  mkdirSync(new URL('.', new URL(target, home)), { recursive: true });
  writeFileSync(new URL(target, home), `export * from '../../${source}';\n`);
}
