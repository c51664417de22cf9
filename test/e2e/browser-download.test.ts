import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bigFile } from '../../sim/court/big-file.ts';
import { startCourt } from '../../sim/court/court.ts';
import { headerValue } from '../../src/fetch/http/header-list.ts';
import type { BodySink } from '../../src/fetch/http/hop-result.ts';
import { answer, closing, codeOf, load, openBrowser, reply, sharedBrowser, startPages, text } from './browser-setup.ts';

function collector(): BodySink & { bytes(): Buffer } {
  const chunks: Uint8Array[] = [];
  return {
    async write(chunk) {
      chunks.push(Buffer.from(chunk));
    },
    bytes: () => Buffer.concat(chunks),
  };
}

const attachment = (body: string) => reply(200, body, { 'content-disposition': 'attachment; filename="a.html"' });

describe('a file in Chromium', () => {
  it('goes to the sink, byte for byte, with the headers it came with', async () => {
    const court = closing(await startCourt({ seed: 7, highest: 20 }));
    const [document] = court.expectedDocuments();
    const sink = collector();
    const result = answer(await load(await sharedBrowser(), court.url + document?.path, { sink }));
    expect(result.status).toBe(200);
    expect(result.url).toBe(court.url + document?.path);
    expect(headerValue(result.headers, 'content-type')).toBe('application/pdf');
    expect(headerValue(result.headers, 'content-disposition')).toBeUndefined();
    expect(result.body).toEqual({
      kind: 'streamed',
      encodedBytes: document?.body.length,
      decodedBytes: document?.body.length,
    });
    expect(sink.bytes()).toEqual(document?.body);
  });

  it('is not a page, and says so', async () => {
    const court = closing(await startCourt({ seed: 7, highest: 20 }));
    const [document] = court.expectedDocuments();
    const result = await load(await sharedBrowser(), court.url + document?.path);
    expect(result).toMatchObject({ kind: 'failure', code: 'unwanted_download', head: { status: 200 } });
    expect(result.kind === 'failure' && result.reason).toContain(`${document?.path} is a file to be saved, not a page`);
  });

  it('may be large', async () => {
    const court = closing(await startCourt());
    const size = 30_000_000;
    const hash = createHash('sha256');
    const sink: BodySink = {
      async write(chunk) {
        hash.update(chunk);
      },
    };
    const result = answer(await load(await sharedBrowser(), `${court.url}/files/big?bytes=${size}`, { sink }));
    expect(result.body).toMatchObject({ decodedBytes: size });
    const expected = createHash('sha256');
    for (const chunk of bigFile(size).chunks()) expected.update(chunk);
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
  });

  it('may not be larger than allowed', async () => {
    const court = closing(await startCourt());
    const browser = await openBrowser({ limits: { maxDownloadBytes: 1_000_000 } });
    const sink = collector();
    expect(codeOf(await load(browser, `${court.url}/files/big?bytes=2000000`, { sink }))).toBe('decoded_too_large');
    expect(sink.bytes().length).toBe(0);
  });

  it('that is cut short is a failure, and nothing reaches the sink', async () => {
    const site = await startPages({ '/a': attachment('a'.repeat(50_000)) });
    site.faults.set({ kind: 'truncate', missingBytes: 100 });
    const sink = collector();
    expect(codeOf(await load(await sharedBrowser(), `${site.url}/a`, { sink }))).toBe('body_cut_short');
    expect(sink.bytes().length).toBe(0);
  });

  it('is found behind a redirect, a script and a frame', async () => {
    const site = await startPages({
      '/redirect': reply(302, '', { location: '/file' }),
      '/script': '<script>location = "/file"</script>',
      '/frame': '<iframe src="/file"></iframe>',
      '/file': attachment('<p>the file'),
    });
    for (const path of ['/redirect', '/script', '/frame']) {
      const sink = collector();
      const result = answer(await load(await sharedBrowser(), site.url + path, { sink }));
      expect([path, sink.bytes().toString(), result.url]).toEqual([path, '<p>the file', `${site.url}/file`]);
      expect(result.hops.map(({ url }) => url)).toEqual([site.url + path]);
    }
  });

  it('may be made by a script', async () => {
    const page = `<script>
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob(['a,b\\n1,2']));
      link.download = 'Fälle.csv';
      onload = () => link.click();
    </script><h1>wait</h1>`;
    const site = await startPages({ '/': page });
    const sink = collector();
    const result = answer(await load(await sharedBrowser(), site.url, { sink, waitFor: '#never' }));
    expect(sink.bytes().toString()).toBe('a,b\n1,2');
    expect(headerValue(result.headers, 'content-disposition')).toBe("attachment; filename*=UTF-8''F%C3%A4lle.csv");
    expect(headerValue(result.headers, 'content-type')).toBe('application/octet-stream');
  });

  it('in a frame of a page is left alone', async () => {
    const site = await startPages({
      '/': '<h1>page</h1><iframe src="/file"></iframe>',
      '/file': attachment('<p>file'),
    });
    expect(text(await load(await sharedBrowser(), site.url))).toContain('<h1>page</h1>');
  });

  it('with an error status is that status', async () => {
    const site = await startPages({ '/': reply(403, 'no', { 'content-disposition': 'attachment' }) });
    const sink = collector();
    expect(answer(await load(await sharedBrowser(), site.url, { sink }))).toMatchObject({
      status: 403,
      body: { kind: 'memory' },
    });
    expect(sink.bytes().length).toBe(0);
  });

  it('that is a page is saved as the page', async () => {
    const site = await startPages({ '/': '<h1></h1><script>document.querySelector("h1").append("made")</script>' });
    const sink = collector();
    await load(await sharedBrowser(), site.url, { sink });
    expect(sink.bytes().toString()).toContain('<h1>made</h1>');
  });

  it('fails with the sink', async () => {
    const site = await startPages({ '/': attachment('<p>file') });
    const sink: BodySink = { write: () => Promise.reject(new Error('the disk is full')) };
    await expect(load(await sharedBrowser(), site.url, { sink })).rejects.toThrow('the disk is full');
    expect(codeOf(await load(await sharedBrowser(), site.url, { sink: collector() }))).toBe('answer');
  });
});
