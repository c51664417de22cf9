// What tests and the fleet need besides npm packages. `npx node scripts/services.ts ensure [NAME…]` finds or brings it;
// `start NAME…` runs servers in the background, and `stop` ends those and no others. Each prints one JSON object with a
// field for each service, and exits with 1 if any of them cannot be had.

import { messageOf } from '../src/platform/errors.ts';
import { startInBackground, stopInBackground } from './services/background.ts';
import { chromium } from './services/chromium.ts';
import { kafka } from './services/kafka.ts';
import { redis } from './services/redis.ts';
import type { Ensured, Server, Service } from './services/service.ts';

const SERVERS: readonly Server[] = [redis, kafka];
const SERVICES: readonly Service[] = [chromium, ...SERVERS];

const [command, ...names] = process.argv.slice(2);

switch (command) {
  case 'ensure':
    await report(SERVICES, (service) => service.ensure());
    break;
  case 'start':
    await report(SERVERS, async (server) => {
      const ensured = await server.ensure();
      return ensured.kind === 'missing' ? ensured : startInBackground(server);
    });
    break;
  case 'stop':
    await report(SERVERS, stopInBackground);
    break;
  default:
    usage('');
}

/** Does it for each that is named, or for all. */
async function report<S extends Service>(known: readonly S[], act: (service: S) => Promise<Ensured>): Promise<void> {
  const unknown = names.filter((name) => !known.some((service) => service.name === name));
  if (unknown.length > 0) return usage(`Nothing to ${command} is called ${unknown.join(', ')}. `);
  const facts: Record<string, Readonly<Record<string, string>>> = {};
  for (const service of known) {
    if (names.length > 0 && !names.includes(service.name)) continue;
    const ensured = await act(service).catch((error) => ({ kind: 'missing' as const, reason: messageOf(error) }));
    facts[service.name] = ensured.kind === 'ready' ? ensured.facts : { missing: ensured.reason };
    if (ensured.kind === 'missing') process.exitCode = 1;
  }
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}

function usage(what: string): void {
  const all = SERVICES.map(({ name }) => name).join('|');
  const servers = SERVERS.map(({ name }) => name).join('|');
  process.stderr.write(`${what}Usage: node scripts/services.ts ensure [${all}]… | start|stop [${servers}]…\n`);
  process.exitCode = 2;
}
