import { describe, expect, it } from 'vitest';
import { onAbort } from './on-abort.ts';

describe('onAbort', () => {
  it('tells all who listen, in the order of asking, and once', () => {
    const control = new AbortController();
    const heard: string[] = [];
    onAbort(control.signal, () => heard.push('first'));
    onAbort(control.signal, () => heard.push('second'));
    control.abort();
    control.abort();
    expect(heard).toEqual(['first', 'second']);
  });

  it('does not tell who was taken off, before or by another', () => {
    const control = new AbortController();
    const heard: string[] = [];
    const offGone = onAbort(control.signal, () => heard.push('gone'));
    let offLast = () => {};
    onAbort(control.signal, () => offLast());
    offLast = onAbort(control.signal, () => heard.push('last'));
    offGone();
    control.abort();
    expect(heard).toEqual([]);
  });

  it('keeps signals apart, and says nothing of one that has aborted already', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const heard: string[] = [];
    onAbort(one.signal, () => heard.push('one'));
    onAbort(other.signal, () => heard.push('other'));
    other.abort();
    onAbort(other.signal, () => heard.push('late'));
    expect(heard).toEqual(['other']);
  });
});
