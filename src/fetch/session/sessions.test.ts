import { describe, expect, it } from 'vitest';
import type { HeaderList } from '../outcome.ts';
import { Sessions } from './sessions.ts';

const url = new URL('https://court.example/');
const sid = (value: string): HeaderList => [['Set-Cookie', `sid=${value}`]];

describe('Sessions', () => {
  it('keeps one session out of another', () => {
    const sessions = new Sessions();
    expect(sessions.take('one', url, sid('1'))).toBe(true);
    sessions.take('two', url, sid('2'));
    expect(sessions.cookieHeader('one', url)).toBe('sid=1');
    expect(sessions.cookieHeader('two', url)).toBe('sid=2');
    expect(sessions.cookieHeader('three', url)).toBeUndefined();
  });

  it('says whether a session changed', () => {
    const sessions = new Sessions();
    expect(sessions.take('one', url, [])).toBe(false);
    sessions.take('one', url, sid('1'));
    expect(sessions.take('one', url, [])).toBe(false);
    expect(sessions.take('one', url, sid('2'))).toBe(true);
  });

  it('comes back from JSON, whatever the sessions are called', () => {
    const sessions = new Sessions();
    for (const name of ['default', '', '__proto__']) sessions.take(name, url, sid(`of-${name}`));
    const restored = Sessions.restore(JSON.parse(JSON.stringify(sessions.save())));
    for (const name of ['default', '', '__proto__']) expect(restored.cookieHeader(name, url)).toBe(`sid=of-${name}`);
  });

  it('saves nothing when no site set a cookie', () => {
    const sessions = new Sessions();
    sessions.take('one', url, []);
    expect(sessions.save()).toEqual({});
  });
});
