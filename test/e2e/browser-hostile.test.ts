// What a page's policy or its scripts do to the page is read as it stands, or fails that load; it never ends a run.

import { describe, expect, it } from 'vitest';
import type { Admit } from '../../src/fetch/browser/admit.ts';
import { letThrough } from '../fixtures/let-through.ts';
import { answer, hastyBrowser, load, reply, sharedBrowser, startPages, text } from './browser-setup.ts';

const policy = (value: string) => ({ 'content-security-policy': value });

describe('a Content-Security-Policy', () => {
  it('has no say in how long the page is waited for', async () => {
    const later = Promise.withResolvers<void>();
    const site = await startPages({
      '/': reply(200, '<p>here</p><img src="/slow.png"><script src="/s.js"></script>', policy("default-src 'self'")),
      '/s.js': reply(200, 'setTimeout(() => fetch("/later"), 500)', { 'content-type': 'text/javascript' }),
      '/later': 'now',
      '/slow.png': reply(200, '', { 'content-type': 'image/png' }),
    });
    const admit: Admit = async ({ url }) => {
      if (url.pathname === '/later') later.resolve();
      if (url.pathname === '/slow.png') await later.promise;
      return letThrough();
    };
    expect(text(await load(await sharedBrowser(), site.url, { admit }))).toContain('<p>here</p>');
  });

  it.each(["default-src 'self'", "require-trusted-types-for 'script'; script-src 'self'"])(
    'lets an element come late (%s)',
    async (value) => {
      const site = await startPages({
        '/': reply(200, '<script src="/late.js"></script>', policy(value)),
        '/late.js': reply(200, 'setTimeout(() => { document.body.append(document.createElement("hr")) }, 200)', {
          'content-type': 'text/javascript',
        }),
      });
      expect(text(await load(await sharedBrowser(), site.url, { waitFor: 'hr' }))).toContain('<hr>');
    },
  );

  it.each(['sandbox', "default-src 'none'"])('without scripts makes a page like any other (%s)', async (value) => {
    const page = '<!doctype html><h1>here</h1><script>document.title = "scripted"</script>';
    const site = await startPages({ '/': reply(200, page, policy(value)) });
    const result = await load(await sharedBrowser(), site.url, { waitFor: 'h1' });
    expect(text(result)).toContain('<h1>here</h1>');
    expect(text(result)).not.toContain('<title>');
    expect(answer(await load(await hastyBrowser(), site.url, { waitFor: 'h2' })).unmatched).toContain('"h2"');
  });
});

describe('a script that replaces what a page is read with', () => {
  const getter = (type: string, name: string, body: string) =>
    `Object.defineProperty(${type}.prototype, '${name}', { get() { ${body} } })`;
  const fail = "throw new Error('gotcha')";

  it.each([
    ['outerHTML', getter('Element', 'outerHTML', fail)],
    ['outerHTML, as if the page had gone on', getter('Element', 'outerHTML', "throw Error('context was destroyed')")],
    ['documentElement', getter('Document', 'documentElement', 'return { outerHTML: { length: 5 } }')],
    ['contentType', getter('Document', 'contentType', "return 'application/json'")],
    ['readyState', getter('Document', 'readyState', "return 'loading'")],
    ['querySelector', `Document.prototype.querySelector = () => { ${fail} }`],
    ['XMLSerializer', `XMLSerializer = function () { ${fail} }`],
    ['MessageChannel', `MessageChannel = function () { ${fail} }`],
    ['setTimeout', `setTimeout = () => { ${fail} }`],
    ['Promise', `Promise = function () { ${fail} }`],
    ['toJSON', 'Object.prototype.toJSON = () => "forged"; Array.prototype.toJSON = () => "forged"'],
    ['eval', `eval = Function = () => { ${fail} }`],
  ])('changes nothing (%s)', async (_what, script) => {
    const site = await startPages({ '/': `<!doctype html><h1>here</h1><script>${script}</script>` });
    const result = await load(await sharedBrowser(), site.url, { waitFor: 'h1' });
    expect(text(result)).toMatch(/^<!DOCTYPE html><html>.*<h1>here<\/h1>/);
  });

  it('does no more with elements of such names', async () => {
    const names = ['readyState', 'contentType', 'documentElement', 'doctype', 'querySelector', 'outerHTML', 'location'];
    const forms = names.map((name) => `<form name="${name}" id="${name}"></form>`).join('');
    const site = await startPages({ '/': `<h1>here</h1>${forms}` });
    expect(text(await load(await sharedBrowser(), site.url, { waitFor: 'h1' }))).toContain('<form name="location"');
  });

  it('does not get into a text that no encoding knows', async () => {
    const site = await startPages({ '/': '<script>document.title = "a\\ud800b"</script>' });
    expect(text(await load(await sharedBrowser(), site.url))).toContain('<title>a\ufffdb</title>');
  });
});

describe('a page that does away with itself', () => {
  it('stays open', async () => {
    const site = await startPages({ '/': '<script>window.close(); onload = () => window.close()</script>here' });
    expect(text(await load(await sharedBrowser(), site.url))).toContain('here');
  });

  it('and is written anew without an end is taken as it stands', async () => {
    const script = 'onload = () => { document.open(); document.write("<h1>written") }';
    const site = await startPages({ '/': `<script>${script}</script>` });
    expect(text(await load(await sharedBrowser(), site.url))).toContain('<h1>written</h1>');
  });

  it('is taken without a root', async () => {
    const site = await startPages({ '/': '<script>onload = () => document.documentElement.remove()</script>' });
    const result = answer(await load(await sharedBrowser(), site.url));
    expect(result.status).toBe(200);
    expect(text(result)).toBe('');
  });
});
