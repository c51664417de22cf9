import { openSiteManager, proxyName } from 'curlew';
import { expect, it } from 'vitest';
import site from '../../examples/listing-site.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const scratch = scratchDirectory();

it('a walk of the caller’s own is committed through the site manager, and outlives the process in between', async () => {
  const data = scratch('data');
  const [civil, criminal] = ['https://court.example/list/civil', 'https://court.example/list/criminal'];
  const earlier = await openSiteManager({ data, sites: [site] });
  await earlier.startPagination(site.domain, [civil, criminal]);
  await earlier.updatePaginationState(civil, { collectedUrls: ['https://court.example/case/1'], completed: true });
  await earlier.close();
  const manager = closing(await openSiteManager({ data, sites: [site] }));
  await expect(manager.commitPartialRun(site.domain)).rejects.toThrow('Not all paginations completed successfully');
  await manager.updatePaginationState(criminal, { collectedUrls: ['https://court.example/case/2'], completed: true });
  expect(await manager.commitPartialRun(site.domain)).toEqual({ id: 1, siteId: site.domain, items: 2 });
  await expect(manager.commitPartialRun(site.domain)).rejects.toThrow('No partial run to commit');
});

it('a site that was not given cannot be committed, and says what is missing', async () => {
  const data = scratch('data');
  const earlier = await openSiteManager({ data, sites: [site] });
  await earlier.startPagination(site.domain, ['https://court.example/list']);
  await earlier.close();
  const manager = closing(await openSiteManager({ data }));
  await expect(manager.commitPartialRun(site.domain)).rejects.toThrow('is not known here');
  await expect(manager.startPagination('other.example', ['https://other.example/'])).rejects.toThrow(
    'There is no site other.example',
  );
});

it('a program that has the credentials of a proxy finds it in what the site manager tells', async () => {
  const [one, other] = ['http://exit-a:s3cret@gate.example:1', 'http://exit-b:s3cret@gate.example:1'] as const;
  const proxies = { strategy: 'datacenter', datacenter: [one, other] } as const;
  const manager = closing(await openSiteManager({ data: scratch('data'), sites: [{ ...site, proxies }] }));
  await manager.addProxyToBlocklist(site.domain, other, 'refused');
  const [config] = await manager.getSiteConfigs();
  expect(config?.proxies.datacenter).toEqual([proxyName(one), proxyName(other)]);
  expect(config?.blockedProxies).toEqual([proxyName(other)]);
  const names = new Map([one, other].map((proxy) => [proxyName(proxy), proxy]));
  expect(config?.blockedProxies?.map((name) => names.get(name))).toEqual([other]);
});
