import { describe, expect, it } from 'vitest';
import type { HostWait } from '../fetch/host-wait.ts';
import { systemClock } from '../platform/clock.ts';
import { announce } from './announce-waits.ts';
import { formatInstant } from './format.ts';

const AT = systemClock.now();
const timeOf = (at: number) => formatInstant(at).split(' ')[1];
const down: HostWait = { host: 'court.example', until: AT, reason: 'breaker open: 503 Service Unavailable' };
const silent: HostWait = { host: 'court.example', until: undefined, reason: 'no answer so far: refused' };

function heard(...looks: readonly (readonly [at: number, waits: readonly HostWait[]])[]): string[] {
  const said: string[] = [];
  const announced = new Map();
  for (const [at, waits] of looks) announce(waits, announced, at, (text) => said.push(text));
  return said;
}

describe('announce', () => {
  it('says at once what is waited for, why and until when, and says it once', () => {
    expect(heard([0, [down]], [500, [down]])).toEqual([
      `waiting for court.example until ${timeOf(AT)}, breaker open: 503 Service Unavailable`,
    ]);
  });

  it('says it again when it takes longer, and when it is over', () => {
    const later = { ...down, until: AT + 60_000 };
    const [, second, third] = heard([0, [down]], [500, [later]], [1_000, []]);
    expect(second).toContain(`until ${timeOf(AT + 60_000)}`);
    expect(third).toBe('no longer waiting for court.example');
  });

  it('says of a host that does not answer so after two seconds, and not of a single failure', () => {
    expect(heard([0, [silent]], [500, [silent]], [1_000, []])).toEqual([]);
    expect(heard([0, [silent]], [500, [silent]], [2_000, [silent]], [2_500, [silent]])).toEqual([
      'waiting for court.example, no answer so far: refused',
    ]);
  });
});
