// Compiled, never run: what the type checker must refuse, and what it must let through. Each expected error that does not
// come is an error itself.

import {
  defineSite,
  download,
  entry,
  get,
  notHtml,
  type Page,
  pdf,
  post,
  record,
  run,
  type SavedFile,
  Scraper,
  session,
  speculate,
} from 'curlew';
import { testFileStep, testStep } from 'curlew/testing';
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

  byNumber = speculate({ highestObserved: 500, largestObservedGap: 20 }, (id) => get(`/case/${id}`, this.plain));
  byYear = speculate.partitioned({ year: [2020, 2026], court: ['civil', 'criminal'] }, {}, ({ year, court }, id) =>
    get(`/${court}/${year + 1}/${id}`, this.plain),
  );
  // @ts-expect-error: there is no such option.
  misspeltOption = speculate({ highestObservd: 500 }, (id) => get(`/case/${id}`, this.plain));
  // @ts-expect-error: an id is a number.
  wrongId = speculate({}, (id: string) => get(`/case/${id}`, this.plain));
  // @ts-expect-error: the request of an id must be given back.
  noRequest = speculate({}, (id) => `/case/${id}`);
  // @ts-expect-error: the request of an id leads to a step that wants a context.
  noContext = speculate({}, (id) => get(`/case/${id}`, this.listed));
  // @ts-expect-error: there is no such dimension.
  wrongDimension = speculate.partitioned({ year: [2020, 2026] }, {}, ({ yaer }, id) => get(`/${yaer}/${id}`));
  // @ts-expect-error: what is said about a miss is records.
  wrongMiss = speculate({ onMiss: () => [get('/')] }, (id) => get(`/case/${id}`, this.plain));

  // @ts-expect-error: what an entry's generator returns would be lost.
  returnsRequest = entry(function* () {
    yield get('/first');
    return get('/');
  });
  // @ts-expect-error: what a step returns would be lost.
  returnsRecord = entry(() => get('/', this.returning));

  *returning(page: Page) {
    yield get('/next', this.plain);
    return record('case', Case, { number: page.text('h1'), filed: '2026-01-01' });
  }

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
    // @ts-expect-error: the answer to a form is a page.
    yield post('/search', { form: { q: 'a' } }, this.saved, { number: '1' });
    // @ts-expect-error: a download wants the context of its step as well.
    yield download('/x.pdf', this.saved);
    // @ts-expect-error: a body is a form, JSON or text.
    yield post('/search', { q: 'a' }, this.plain);
    // @ts-expect-error: the context has the wrong shape, deep inside.
    yield get('/x', this.listed, { number: '1', court: { name: 7 } });
    // @ts-expect-error: this is no step.
    yield get('/x', this.helper);
    // @ts-expect-error: there is no such option.
    yield get({ url: '/x', prioriti: 3 }, this.plain);
    const nonce = this.court.value('nonce');
    yield get({ url: `/x?n=${nonce}`, session: this.court, headers: { 'X-Nonce': nonce.or('') } }, this.plain);
    yield post('/x', { form: { nonce, both: ['a', nonce] } }, this.plain);
    yield post('/x', { json: { deep: [{ nonce }] } }, this.plain);
    yield download({ url: '/x.pdf', accept: pdf(), from: ['*.box.com'], path: 'x.pdf' }, this.saved, { number: '1' });
    yield download.signed(get('/ticket'), this.address, this.saved, { number: '1' }, { accept: notHtml() });
    yield download.signed(get('/ticket'), this.address, this.savedPlainly);
    yield download.signed(get('/ticket'), this.address, this.savedPlainly, undefined, { accept: this.likes });
    // @ts-expect-error: the step wants a context.
    yield download.signed(get('/ticket'), this.address, this.saved);
    // @ts-expect-error: the context has a number where the step wants a text.
    yield download.signed(get('/ticket'), this.address, this.saved, { number: 1 });
    // @ts-expect-error: there is no such option.
    yield download.signed(get('/ticket'), this.address, this.saved, { number: '1' }, { acept: pdf() });
    // @ts-expect-error: a page is not checked as a file is.
    yield get({ url: '/x', accept: pdf() }, this.plain);
    // @ts-expect-error: what reads the address gives an address.
    yield download.signed(get('/ticket'), this.helper, this.savedPlainly);
  }

  court = session({ open: () => get('/desk'), read: (page) => ({ nonce: page.text('#nonce'), all: { a: 'b' } }) });
  login = session({
    *open() {
      const page = yield get('/login');
      yield get(page.form().submit({ name: 'x' }));
    },
  });
  // @ts-expect-error: a value is a text, a list of texts or a map of texts.
  wrongValue = session({ open: () => get('/desk'), read: () => ({ nonce: 17 }) });
  // @ts-expect-error: a session is opened by requests.
  wrongOpening = session({ open: () => '/desk' });

  address = (page: Page) => page.link('a');
  likes = (first: Uint8Array) => first[0] === 37;

  *savedPlainly(file: SavedFile) {
    yield record('file', z.object({ path: z.string() }), { path: file.path });
  }

  *listed(page: Page, { number, court }: Listed) {
    yield record('case', Case, { number: court?.name ?? number, filed: page.text('time') });
    // @ts-expect-error: the record lacks a field of its schema.
    yield record('case', Case, { number });
    // @ts-expect-error: the record has a number where its schema wants a text.
    yield record('case', Case, { number: 17, filed: page.text('time') });
    // @ts-expect-error: one of several matches is an element, and no text.
    yield record('case', Case, { number: page.maybe('.number'), filed: page.text('time') });
    const { number: read } = page.json(Case);
    // @ts-expect-error: what a schema returns has its type.
    yield record('case', Case, { number: read.toFixed(), filed: page.text('time') });
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
// @ts-expect-error: the parameters of an entry are all there.
params.entries.recent = {};
params.speculative.byNumber = { definiteRange: [1, 10], plus: 0 };
// @ts-expect-error: a range has two ends.
params.speculative.byNumber.definiteRange = [1];
// @ts-expect-error: there is no speculator of that name.
params.speculative.byNumbr = { plus: 0 };
// @ts-expect-error: an entry is no speculator.
params.speculative.recent = { plus: 0 };
export const scraper = new TypedContext(params);

run(scraper, { data: 'data', rate: 'off', concurrency: 2 });
// @ts-expect-error: it must be said where the data goes.
run(scraper, {});
// @ts-expect-error: there is no such setting.
run(scraper, { data: 'data', rait: 2 });

testStep(scraper, scraper.listed, '<h1>', { number: '1' });
testFileStep(scraper, scraper.saved, { path: 'a.pdf' }, { number: '1' });
// @ts-expect-error: the step wants a context, in a test too.
testStep(scraper, scraper.listed, '<h1>');
// @ts-expect-error: the step reads a file.
testStep(scraper, scraper.saved, '<h1>', { number: '1' });
// @ts-expect-error: the step reads a page.
testFileStep(scraper, scraper.plain, { path: 'a.pdf' });

const site = { domain: 'court.example', startPages: ['/'], list: { items: 'a' }, scraper: TypedContext };
defineSite({ ...site, itemStep: 'plain' });
// @ts-expect-error: the scraper has no step of that name.
defineSite({ ...site, itemStep: 'plane' });
// @ts-expect-error: an item comes without a context.
defineSite({ ...site, itemStep: 'listed' });
