// Options of `run` about speculators, and what they mean to a scraper.

import { type Command, Option } from 'commander';
import type { WalkStart } from '../engine/plan-walks.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { SpeculatorParams } from '../scraper/speculation-params.ts';
import { collect } from './options.ts';

export interface SpeculationOptions {
  readonly speculate?: readonly string[];
  readonly plus?: readonly string[];
  readonly fromLast?: boolean;
  readonly reprobe?: 'holes';
}

export function addSpeculationOptions(command: Command): Command {
  return command
    .option('--speculate <name=a..b>', 'ask for all ids from a to b; repeatable', collect)
    .option('--plus <name=n>', 'try n ids beyond the highest hit; repeatable', collect)
    .option('--from-last', 'start from the highest id and the largest gap that earlier runs observed')
    .addOption(
      new Option('--reprobe <what>', 'holes: ask again for ids that no earlier run has found, then go on').choices([
        'holes',
      ]),
    );
}

const NUMBER = '([+-]?\\d+(?:\\.\\d+)?)';
const RANGE = new RegExp(`^([^=]+)=${NUMBER}\\.\\.${NUMBER}$`);
const COUNT = new RegExp(`^([^=]+)=${NUMBER}$`);

/** Settings by speculator. Throws `usage` for what is not `name=a..b` or `name=n`; the ids are checked with the scraper. */
export function speculativeFrom(options: SpeculationOptions): Record<string, SpeculatorParams> {
  const params: Record<string, SpeculatorParams> = {};
  for (const text of options.speculate ?? []) {
    const [, name, first, last] = RANGE.exec(text) ?? [];
    if (name === undefined) throw malformed('--speculate', text, 'byNumber=100..200');
    params[name] = { ...params[name], definiteRange: [Number(first), Number(last)] };
  }
  for (const text of options.plus ?? []) {
    const [, name, plus] = COUNT.exec(text) ?? [];
    if (name === undefined) throw malformed('--plus', text, 'byNumber=50');
    params[name] = { ...params[name], plus: Number(plus) };
  }
  return params;
}

export function walkStartFrom(options: SpeculationOptions): WalkStart {
  if (options.reprobe === 'holes') return 'holes';
  return options.fromLast ? 'from-last' : 'declared';
}

function malformed(option: string, text: string, example: string): CurlewError {
  return new CurlewError(ErrorCode.usage, `${option} ${text} cannot be read.`, {
    remedy: `Write ${option} ${example}.`,
  });
}
