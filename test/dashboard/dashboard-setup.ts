// The dashboard as people have it: built from web/, served by the real server, in a real Chromium. Whatever a page should
// never do fails the test that opened it: a dialog, an error nobody caught, a breach of the content security policy.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { type RunningServer, type ServerOptions, startServer } from '../../src/server/server.ts';
import { chromiumOrSkip } from '../fixtures/services.ts';

const executablePath = await chromiumOrSkip();
const SILENT = { event: () => {} };

let web = '';
let browser: Browser;

beforeAll(async () => {
  if (executablePath === '') return;
  web = await mkdtemp(join(tmpdir(), 'curlew-web-'));
  const configFile = fileURLToPath(new URL('../../web/vite.config.ts', import.meta.url));
  await build({ configFile, logLevel: 'silent', build: { outDir: web } });
  browser = await chromium.launch({ executablePath });
});

afterAll(async () => {
  await browser?.close();
  await rm(web, { recursive: true, force: true });
});

/** A server on a free port, closed after the test. */
export async function serve(data: string, options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const server = await startServer({ data, port: 0, web, log: SILENT, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** A page of its own browser profile. Its misdeeds are looked at when the test is over. */
export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const misdeeds: string[] = [];
  page.on('dialog', (dialog) => {
    misdeeds.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on('pageerror', (error) => misdeeds.push(`error: ${error.stack}`));
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) misdeeds.push(message.text());
  });
  onTestFinished(async ({ task }) => {
    // What a person would have had before them.
    if (task.result?.state === 'fail') {
      console.error(page.url(), await page.locator('body').ariaSnapshot({ timeout: 2_000 }).catch(String));
    }
    await context.close();
    expect(misdeeds).toEqual([]);
  });
  return page;
}
