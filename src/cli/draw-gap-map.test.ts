import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ProbeStretch } from '../ledger/probe.ts';
import { drawGapMap, legendOf, paintLine } from './draw-gap-map.ts';

const draw = (stretches: readonly ProbeStretch[], from: number, to: number, columns: number) =>
  stripVTControlCharacters(paintLine(drawGapMap(stretches, { from, to }, columns)));

const stretch = (from: number, to: number, verdict: ProbeStretch['verdict']): ProbeStretch => ({ from, to, verdict });

describe('a drawn gap map', () => {
  it('has a column for each id when there is room', () => {
    const stretches = [
      stretch(1, 2, 'hit'),
      stretch(3, 3, 'absent'),
      stretch(4, 4, 'blocked'),
      stretch(5, 5, 'unknown'),
      stretch(6, 6, 'failed'),
      stretch(7, 7, 'duplicate'),
      stretch(8, 8, 'skipped'),
      stretch(9, 9, 'pending'),
    ];
    expect(draw(stretches, 1, 10, 80)).toBe('██·×?!=-… ');
  });

  it('is full only where everything is there, and shows how much is there elsewhere', () => {
    const stretches = [
      stretch(1, 199, 'hit'),
      stretch(200, 200, 'absent'),
      stretch(201, 250, 'hit'),
      stretch(251, 399, 'absent'),
      stretch(400, 400, 'hit'),
      stretch(401, 500, 'absent'),
    ];
    expect(draw(stretches, 1, 500, 5)).toBe('█▓▒░·');
  });

  it('shows what was refused however little of it there is', () => {
    const stretches = [
      stretch(1, 123_455, 'hit'),
      stretch(123_456, 123_456, 'blocked'),
      stretch(123_457, 500_000, 'hit'),
    ];
    expect(draw(stretches, 1, 500_000, 40)).toBe(`${'█'.repeat(9)}×${'█'.repeat(30)}`);
  });

  it('passes over what lies outside, and begins anywhere', () => {
    const stretches = [stretch(-5, 0, 'hit'), stretch(1, 3, 'absent')];
    expect(draw(stretches, -3, 2, 80)).toBe('████··');
    expect(draw(stretches, 2, 1, 80)).toBe('');
    expect(draw(stretches, 7, 9, 2)).toBe('  ');
  });

  it('has a legend for what is in it', () => {
    const glyphs = new Set(drawGapMap([stretch(1, 1, 'hit'), stretch(2, 2, 'blocked')], { from: 1, to: 3 }, 9));
    expect(stripVTControlCharacters(legendOf(glyphs))).toBe('█ all there  × refused');
  });
});
