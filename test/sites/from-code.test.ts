import { openSiteManager } from 'curlew';
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
  const manager = closing(await openSiteManager({ data: scratch('data') }));
  await manager.startPagination('other.example', ['https://other.example/']);
  await expect(manager.commitPartialRun('other.example')).rejects.toThrow('is not known here');
});
