// Makes sure that what tests need besides npm packages is there: `npx node scripts/services.ts ensure [NAME…]` prints one
// JSON object with a field for each service, and exits with 1 if any of them cannot be had. Without names: all.

import { chromium } from './services/chromium.ts';
import type { Service } from './services/service.ts';

const SERVICES: readonly Service[] = [chromium];

const [command, ...names] = process.argv.slice(2);
const known = SERVICES.map(({ name }) => name);
const unknown = names.filter((name) => !known.includes(name));

if (command !== 'ensure' || unknown.length > 0) {
  const what = command === 'ensure' ? `No service is called ${unknown.join(', ')}. ` : '';
  process.stderr.write(`${what}Usage: node scripts/services.ts ensure [${known.join('|')}]…\n`);
  process.exitCode = 2;
} else {
  const report: Record<string, Readonly<Record<string, string>>> = {};
  for (const service of SERVICES) {
    if (names.length > 0 && !names.includes(service.name)) continue;
    const ensured = await service.ensure();
    report[service.name] = ensured.kind === 'ready' ? ensured.facts : { missing: ensured.reason };
    if (ensured.kind === 'missing') process.exitCode = 1;
  }
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
