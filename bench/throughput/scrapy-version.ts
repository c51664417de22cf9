// Which Scrapy an interpreter has, if any.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The version that was compared, as pip names it. */
export const SCRAPY_REQUIREMENT = 'scrapy==2.19.0';

/** Undefined when there is no such interpreter, or it has no Scrapy. */
export async function scrapyVersion(python: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(python, ['-c', 'import scrapy; print(scrapy.__version__)']);
    return stdout.trim();
  } catch {
    return undefined;
  }
}
