import { afterEach, expect, test } from 'vitest';
import { type RunningPublicRegisters, startPublicRegisters } from './public-registers.ts';

let site: RunningPublicRegisters;
afterEach(() => site.close());

/** The token and the cookie of the front page. */
async function visit() {
  const front = await fetch(`${site.url}/registers/`);
  const csrf = /name="csrf" value="(\w+)"/.exec(await front.text())?.[1] ?? '';
  return { csrf, cookie: front.headers.get('set-cookie')?.split(';')[0] ?? '' };
}

function askForTicket(document: string, { csrf, cookie }: Awaited<ReturnType<typeof visit>>) {
  return fetch(`${site.url}/documents/ticket`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ document, csrf }),
  });
}

test('a document comes from a signed address that is good for a minute', async () => {
  site = await startPublicRegisters();
  const ticket = await askForTicket('C-00001', await visit());
  const { href } = (await ticket.json()) as { href: string };
  const file = await fetch(href);
  expect(file.headers.get('content-type')).toBe('application/pdf');
  expect(Buffer.from(await file.arrayBuffer()).toString('latin1')).toMatch(/^%PDF.*%%EOF\n$/s);
  site.advance(60_000);
  expect((await fetch(href)).status).toBe(403);
});

test('a ticket needs the cookie and a token that is not over', async () => {
  site = await startPublicRegisters();
  const visitor = await visit();
  expect((await askForTicket('C-00001', { ...visitor, cookie: '' })).status).toBe(419);
  site.expireTokens();
  expect((await askForTicket('C-00001', visitor)).status).toBe(419);
  expect((await askForTicket('C-00001', await visit())).status).toBe(200);
});

test('a list has all entries of its register on its pages and states how many', async () => {
  site = await startPublicRegisters({ entries: 45 });
  const pages = await Promise.all(
    [1, 2, 3].map(async (page) => (await fetch(`${site.url}/registers/companies?page=${page}`)).text()),
  );
  const numbers = pages.flatMap((page) => [...page.matchAll(/companies\/(C-\d+)"/g)].map(([, number]) => number));
  expect(numbers).toEqual(site.register('companies').entries.map(({ number }) => number));
  expect(pages.map((page) => page.includes('class="next"'))).toEqual([true, true, false]);
  expect(pages[0]).toContain('45 entries');
});

test('the second edition has new entries, lacks one, and has another document for one', async () => {
  site = await startPublicRegisters({ entries: 5 });
  const before = await (await fetch(`${site.url}/registers/orders.csv`)).text();
  site.travelTo('v2');
  const after = await (await fetch(`${site.url}/registers/orders.csv`)).text();
  const numbers = (csv: string) =>
    csv
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(';')[0]);
  expect(numbers(before)).toEqual(['O-00001', 'O-00002', 'O-00003', 'O-00004', 'O-00005']);
  expect(numbers(after)).toEqual(['O-00001', 'O-00003', 'O-00004', 'O-00005', 'O-00006', 'O-00007', 'O-00008']);
  expect(after.split('\r\n')[1]).toMatch(/;O-00001-R$/);
});
