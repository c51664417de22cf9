// Compiled, never run: what the type checker must refuse, and what it must let through. Each expected error that does not
// come is an error itself.

import { download, entry, get, type Page, post, record, type SavedFile, Scraper } from 'curlew';
import { z } from 'zod';

interface Listed {
  readonly number: string;
  readonly court?: { readonly name: string };
}

const Case = z.object({ number: z.string(), filed: z.iso.date() });

export class TypedContext extends Scraper {
  baseUrl = 'https://court.example';

  start = entry(() => get('/', this.plain));
  recent = entry(z.object({ since: z.iso.date() }), ({ since }) => get(`/recent?since=${since}`, this.plain));
  // @ts-expect-error: the parameters have no field of that name.
  misspelt = entry(z.object({ since: z.iso.date() }), ({ sinc }) => get(`/recent?since=${sinc}`, this.plain));

  *plain(page: Page) {
    yield get('/next', this.plain);
    yield get(page.link('a'), this.listed, { number: '1' });
    yield get({ url: page.link('a'), priority: 3, session: 'b' }, this.listed, { number: '1', court: { name: 'FSD' } });
    yield post('/search', { form: { q: ['a', 'b'] } }, this.plain);
    yield get(page.form().submit({ q: 'x' }), this.plain);
    yield download('/a.pdf', this.saved, { number: '1' });
    yield download('/b.pdf');
    yield get('/archived-only');
    // @ts-expect-error: the step wants a context.
    yield get('/x', this.listed);
    // @ts-expect-error: the context has a number where the step wants a text.
    yield get('/x', this.listed, { number: 1 });
    // @ts-expect-error: the context has a field that the step does not know.
    yield get('/x', this.listed, { number: '1', courtt: { name: 'FSD' } });
    // @ts-expect-error: the step takes no context.
    yield get('/x', this.plain, { number: '1' });
    // @ts-expect-error: a page does not go to a step that reads a file.
    yield get('/x', this.saved, { number: '1' });
    // @ts-expect-error: nor a file to a step that reads a page.
    yield download('/x', this.plain);
    // @ts-expect-error: this is no step.
    yield get('/x', this.helper);
    // @ts-expect-error: there is no such option.
    yield get({ url: '/x', prioriti: 3 }, this.plain);
  }

  *listed(page: Page, { number, court }: Listed) {
    yield record('case', Case, { number: court?.name ?? number, filed: page.text('time') });
    // @ts-expect-error: the record lacks a field of its schema.
    yield record('case', Case, { number });
  }

  *saved(file: SavedFile, { number }: { number: string }) {
    yield record('document', z.object({ number: z.string(), path: z.string() }), { number, path: file.path });
  }

  helper(page: Page) {
    return page.text('h1').length;
  }
}

const params = TypedContext.params();
params.entries.recent = { since: '2026-01-01' };
// @ts-expect-error: the parameter is a text.
params.entries.recent = { since: 2026 };
// @ts-expect-error: there is no entry of that name.
params.entries.resent = { since: '2026-01-01' };
// @ts-expect-error: an entry without parameters takes none.
params.entries.start = {};
export const scraper = new TypedContext(params);
