// A world of our own in a page: it has the page's document and nothing of its scripts. What they replaced does not exist
// there, a Content-Security-Policy has no say in it, and it works where scripts are switched off (`sandbox`).

import type { CDPSession, Page } from 'playwright-core';
import { BrowserError } from './browser-result.ts';
import { firstLineOf } from './load-watch.ts';

const NAME = 'curlew';

export class PageWorld {
  readonly #page: Page;
  readonly #session: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.#page = page;
    this.#session = session;
  }

  static async open(page: Page): Promise<PageWorld> {
    return new PageWorld(page, await page.context().newCDPSession(page));
  }

  /**
   * What an expression gives in the document that is shown; a promise is waited for. Undefined when the page went on
   * meanwhile, which takes the world along: look again. Rejects with a `BrowserError` when the expression throws.
   */
  async evaluate<T>(expression: string): Promise<T | undefined> {
    const answer = await this.#ask(expression);
    if (answer === undefined) return undefined;
    const { result, exceptionDetails } = answer;
    if (exceptionDetails === undefined) return result.value as T;
    const said = exceptionDetails.exception?.description ?? exceptionDetails.text;
    throw new BrowserError('navigation_failed', `Chromium could not read the page: ${firstLineOf(said)}`);
  }

  // The world is named anew each time: Chromium makes one for a document that has none yet.
  async #ask(expression: string) {
    try {
      const { frameTree } = await this.#session.send('Page.getFrameTree');
      const { executionContextId } = await this.#session.send('Page.createIsolatedWorld', {
        frameId: frameTree.frame.id,
        worldName: NAME,
      });
      return await this.#session.send('Runtime.evaluate', {
        expression,
        contextId: executionContextId,
        returnByValue: true,
        awaitPromise: true,
      });
    } catch (error) {
      if (this.#page.isClosed()) throw error;
      return undefined;
    }
  }
}
