// The address guard holds for everything the pipeline sends: pages, every hop of a redirect, robots.txt and probes.
// Asserted at the door through which every connection must go.

import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { htmlReply, type Reply } from '../../sim/reply.ts';
import { type Site, startSite } from '../../sim/site.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { type ResolvedAddress, type Sockets, systemSockets } from '../../src/platform/sockets.ts';
import { flyTime } from '../fixtures/fly-time.ts';
import { rawServer } from '../fixtures/raw-server.ts';
import { testPipeline } from '../fixtures/test-pipeline.ts';

const sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

async function siteWith(pages: Readonly<Record<string, () => Reply>>): Promise<Site> {
  const site = await startSite(({ pathname }) => pages[pathname]?.() ?? htmlReply(404, 'nothing'));
  sites.push(site);
  return site;
}

const to = (location: string | undefined) => () => htmlReply(302, '', location === undefined ? {} : { location });

/** The network, with a note of everything that is dialled. Names lead where `resolve` says; public addresses to `port`. */
function watched(resolve: (name: string) => readonly string[], port = 0) {
  const dialled: string[] = [];
  const sockets: Sockets = {
    async resolve(name) {
      return resolve(name).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }) as ResolvedAddress);
    },
    connect(addresses, asked) {
      dialled.push(...addresses.map(({ address }) => `${address}:${asked}`));
      const own = addresses.every(({ address }) => address === '127.0.0.1');
      return own ? systemSockets.connect(addresses, asked) : connect(port, '127.0.0.1');
    },
  };
  return { sockets, dialled };
}
const noNames = () => [];
const PUBLIC = '93.184.215.14';

describe('a redirect', () => {
  it.each([
    ['in a circle', '/a', 'it redirects in a circle'],
    ['to file:', 'file:///etc/passwd', 'redirect (302) to a file: URL'],
    ['to data:', 'data:text/html,hello', 'redirect (302) to a data: URL'],
    ['to another scheme', 'ftp://court.example/x', 'redirect (302) to a ftp: URL'],
    ['without a Location', undefined, 'redirect (302) without a Location'],
  ])('%s ends there', async (_, location, reason) => {
    const site = await siteWith({ '/a': to(location) });
    const outcome = await (await testPipeline()).fetch(`${site.url}/a`);
    expect(outcome).toMatchObject({ kind: 'url_specific', retriable: false, reason: expect.stringContaining(reason) });
  });

  it('is followed five times, and not to the twenty-first hop', async () => {
    const hops = Object.fromEntries(Array.from({ length: 21 }, (_, hop) => [`/${hop}`, to(`/${hop + 1}`)]));
    const site = await siteWith(hops);
    const outcome = await (await testPipeline()).fetch(`${site.url}/0`);
    expect(outcome).toMatchObject({ kind: 'url_specific', status: 302, reason: 'more than 5 redirects' });
    expect(outcome.exchanges).toHaveLength(6);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://metadata.google.internal/',
    'http://127.1:1/',
    'http://2130706433:1/',
    'http://localhost./',
  ])('to %s is refused without a connection, at once and for good', async (location) => {
    const site = await siteWith({ '/a': to(location) });
    const { sockets, dialled } = watched(() => ['169.254.169.254']);
    const pipeline = await testPipeline({ allowHosts: [new URL(site.url).host] }, { sockets });
    const outcome = await pipeline.fetch(`${site.url}/a`);
    expect(outcome).toMatchObject({ kind: 'url_specific', retriable: false, failure: 'address_refused' });
    expect(new Set(dialled)).toEqual(new Set([`127.0.0.1:${new URL(site.url).port}`]));
    // Its robots.txt was not asked for either, and nothing was noted about it.
    expect(pipeline.events().filter(({ host }) => host !== new URL(site.url).host)).toEqual([]);
  });
});

describe('robots.txt', () => {
  it('is not fetched from a private address, and that is not taken for its absence later', async () => {
    const site = await siteWith({ '/robots.txt': () => htmlReply(200, 'User-agent: *\nDisallow: /') });
    const { sockets, dialled } = watched(noNames);
    const closed = await testPipeline({ allowHosts: [] }, { sockets });
    expect(await closed.fetch(`${site.url}/a`)).toMatchObject({ failure: 'address_refused' });
    expect(dialled).toEqual([]);
    const { robots } = closed.takeUnsaved();
    expect(robots.size).toBe(0);
    const open = await testPipeline({}, { memory: { robots } });
    expect(await open.fetch(`${site.url}/a`)).toMatchObject({ kind: 'skipped' });
  });

  it.each(['http://169.254.169.254/robots.txt', 'http://127.0.0.1:1/robots.txt'])(
    'that redirects to %s is unreachable, and nothing is connected to',
    async (location) => {
      const site = await siteWith({ '/robots.txt': to(location), '/a': () => htmlReply(200, 'page') });
      const { sockets, dialled } = watched(noNames);
      const clock = new FakeClock();
      const pipeline = await testPipeline({ allowHosts: [new URL(site.url).host] }, { sockets, clock });
      expect(await flyTime(clock, pipeline.fetch(`${site.url}/a`))).toMatchObject({ kind: 'ok' });
      expect(new Set(dialled)).toEqual(new Set([`127.0.0.1:${new URL(site.url).port}`]));
      expect(pipeline.events()).toContainEqual(
        expect.objectContaining({ kind: 'robots_unreachable', inForce: 'allow' }),
      );
    },
  );
});

describe('a name that changes its address', () => {
  it('is not reached on the private one, by page or probe', async () => {
    // Answers and hangs up, so that every request needs a connection, and so a new answer of the resolver.
    const server = await rawServer((socket) =>
      socket.end('HTTP/1.1 503 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
    );
    let address = PUBLIC;
    const { sockets, dialled } = watched(() => [address], server.port);
    const clock = new FakeClock();
    const pipeline = await testPipeline({ robots: 'off' }, { sockets, clock });
    for (let time = 0; time < 5; time++) {
      expect(await pipeline.fetch('http://rebind.example/')).toMatchObject({ kind: 'site_wide' });
    }
    address = '127.0.0.1';
    const stop = new AbortController();
    const waiting = pipeline.fetch('http://rebind.example/', {}, stop.signal);
    // Probes are due after 30 s and another minute.
    const enough = clock.sleep(100_000).then(() => stop.abort(new Error('enough')));
    await expect(flyTime(clock, waiting)).rejects.toThrow('enough');
    await enough;
    expect(new Set(dialled)).toEqual(new Set([`${PUBLIC}:80`]));
    expect(dialled).toHaveLength(5);
    await server.close();
  });

  it('is refused when a redirect leads to its second address', async () => {
    const answers = [[PUBLIC], ['10.0.0.7']];
    const server = await rawServer((socket) =>
      socket.end('HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
    );
    const { sockets, dialled } = watched(() => answers.shift() ?? ['10.0.0.7'], server.port);
    const pipeline = await testPipeline({ robots: 'off' }, { sockets });
    expect(await pipeline.fetch('http://rebind.example/')).toMatchObject({ failure: 'address_refused' });
    expect(dialled).toEqual([`${PUBLIC}:80`]);
    await server.close();
  });
});
