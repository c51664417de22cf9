// What judicial.ky can be told over its control endpoint, besides what every site can. The border: what comes is JSON,
// and what does not fit is an error that says what would.

import { CurlewError, ErrorCode } from '../../src/platform/errors.ts';
import type { ControlRoutes } from '../control.ts';
import { parseScope } from '../parse-fault.ts';
import { CORPUS_VERSIONS, type CorpusVersion } from './corpus.ts';
import type { JudicialKyControls } from './judicial-ky.ts';
import { parseSettings } from './settings.ts';
import { parseSwitchName, SWITCHES } from './switches.ts';

export function judicialControl(controls: JudicialKyControls): ControlRoutes {
  return {
    'POST travel': (value) => controls.travelTo(versionOf(field(value, 'to'))),
    'POST rotate-nonce': () => controls.rotateNonce(),
    'POST advance': (value) => controls.advance(durationOf(field(value, 'ms'))),
    'POST settings': (value) => controls.configure(parseSettings(value)),
    'GET switches': () => Object.keys(SWITCHES),
    'POST switches': (value) => {
      const { path: _, ...scope } = parseScope(value);
      return controls.switchOn(parseSwitchName(field(value, 'name')), scope);
    },
  };
}

function versionOf(value: unknown): CorpusVersion {
  return CORPUS_VERSIONS.find((version) => version === value) ?? invalid('to', CORPUS_VERSIONS.join(', '));
}

function durationOf(value: unknown): number {
  return typeof value === 'number' && value >= 0 ? value : invalid('ms', 'a number of milliseconds');
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function invalid(name: string, expected: string): never {
  const remedy = 'See sim/README.md for what can be sent.';
  throw new CurlewError(ErrorCode.usage, `"${name}" should be ${expected}.`, { remedy });
}
