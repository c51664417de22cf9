// What every list of labelled hosts promises: bounded over all workers and restarts, and a host that is seen keeps its place.

import { expect, it } from 'vitest';
import { LABEL_KEPT_MS, MOST_LABELLED_HOSTS } from '../../src/fetcher/labelled-hosts.ts';
import { onEveryBackend } from './backends.ts';

const hosts = (count: number, name = 'host') => Array.from({ length: count }, (_, n) => `${name}-${n}.example`);

onEveryBackend((open) => {
  it('has room for the first hosts, and for no others', async () => {
    const { labelledHosts } = await open();
    expect(await labelledHosts.list()).toEqual([]);
    for (const host of hosts(MOST_LABELLED_HOSTS + 20)) await labelledHosts.claim(host);
    expect([...(await labelledHosts.list())].toSorted()).toEqual(hosts(MOST_LABELLED_HOSTS).toSorted());
    expect(await labelledHosts.claim('late.example')).not.toContain('late.example');
    expect(await labelledHosts.claim('host-0.example')).toHaveLength(MOST_LABELLED_HOSTS);
  });

  it('gives the place of a host that was not seen for long to another', async () => {
    const { labelledHosts, pass } = await open();
    for (const host of hosts(MOST_LABELLED_HOSTS)) await labelledHosts.claim(host);
    await pass(LABEL_KEPT_MS - 60_000);
    await labelledHosts.claim('host-7.example');
    await pass(120_000);
    expect([...(await labelledHosts.claim('new.example'))].toSorted()).toEqual(['host-7.example', 'new.example']);
  });

  it('takes a host of any name', async () => {
    const { labelledHosts } = await open();
    for (const host of ['__proto__', 'constructor', '[::1]:8080', 'a b']) await labelledHosts.claim(host);
    expect([...(await labelledHosts.list())].toSorted()).toEqual(['[::1]:8080', '__proto__', 'a b', 'constructor']);
  });
});
