import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { Page } from '../scraper/page/page.ts';
import { SavedFile } from '../scraper/page/saved-file.ts';
import { jsonLine } from './json-line.ts';
import { assertData } from './look-at-data.ts';
import {
  addDataOption,
  addJsonOption,
  addOutputOption,
  addRunArgument,
  type DataOption,
  type JsonOption,
} from './options.ts';
import { toPath } from './write-output.ts';

type Options = DataOption & JsonOption & { readonly output?: string };

export function define(command: Command): Command {
  addRunArgument(command).argument('<url>', 'address of the page', readAddress);
  addOutputOption(command);
  addDataOption(command);
  addJsonOption(command, ': where the page came from, and its headers, instead of it');
  return command
    .addHelpText('after', '\nExample:\n  curlew page latest https://court.example/case/17 -o case-17.html')
    .action(async (run: number | 'latest', url: string, { data, output, json }: Options) => {
      assertData(data);
      const { archivedAnswer } = await import('../engine/archived-answer.ts');
      const answer = await archivedAnswer({ data, run, url });
      if (output !== undefined) await toPath(output, (target) => pipeline(bodyOf(answer), target));
      else if (!json) await pipeline(bodyOf(answer), process.stdout, { end: false });
      if (json) process.stdout.write(`${jsonLine(headOf(answer))}\n`);
    });
}

function readAddress(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new InvalidArgumentError('It must be an absolute address, with http or https.');
}

function bodyOf(answer: Page | SavedFile): Readable {
  return answer instanceof SavedFile ? createReadStream(answer.path) : Readable.from([answer.bytes]);
}

function headOf(answer: Page | SavedFile) {
  const { url, requestUrl, status, headers } = answer;
  const rest =
    answer instanceof SavedFile
      ? { file: answer.path, bytes: answer.size }
      : { archivedAs: answer.archivedAs, bytes: answer.bytes.length };
  return { url, requestUrl, status, headers, ...rest };
}
