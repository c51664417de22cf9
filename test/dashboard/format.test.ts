import { describe, expect, it } from 'vitest';
import {
  countOf,
  formatBytes,
  formatClock,
  formatCount,
  formatDate,
  formatDuration,
  formatRate,
  formatShare,
  formatTime,
  localTimes,
} from '../../web/src/lib/format.ts';

describe('numbers', () => {
  it('have separators, and a dash stands for what is not known', () => {
    expect(formatCount(1_234_567)).toBe('1,234,567');
    expect(formatCount(null)).toBe('–');
    expect(countOf(1, 'record')).toBe('1 record');
    expect(countOf(1_000, 'stretch', 'stretches')).toBe('1,000 stretches');
  });

  it('a share is never rounded to all or nothing', () => {
    expect(formatShare(0, 0)).toBe('–');
    expect(formatShare(1, 2)).toBe('50%');
    expect(formatShare(99_999, 100_000)).toBe('> 99.9%');
    expect(formatShare(1, 100_000)).toBe('< 0.1%');
    expect(formatShare(3, 3)).toBe('100%');
  });

  it('rates and sizes have the unit that fits', () => {
    expect(formatRate(0)).toBe('0/s');
    expect(formatRate(0.05)).toBe('3/min');
    expect(formatRate(12.34)).toBe('12.3/s');
    expect(formatRate(1_234.5)).toBe('1,235/s');
    expect(formatBytes(1)).toBe('1 byte');
    expect(formatBytes(812)).toBe('812 bytes');
    expect(formatBytes(1_572_864)).toBe('1.5 MB');
  });

  it('durations are told by their two largest units', () => {
    expect(formatDuration(240)).toBe('240 ms');
    expect(formatDuration(12_900)).toBe('12 s');
    expect(formatDuration(185_000)).toBe('3 min 5 s');
    expect(formatDuration(7_200_000)).toBe('2 h');
    expect(formatDuration(273_600_000)).toBe('3 d 4 h');
  });
});

describe('times', () => {
  const at = '2026-11-16T14:02:07.000Z';

  it('have their zone', () => {
    expect(formatTime(at, 'UTC')).toBe('16 Nov 2026, 14:02:07 UTC');
    expect(formatTime(at, 'America/New_York')).toBe('16 Nov 2026, 09:02:07 GMT-5');
  });

  it('of today are told without the date, of another day with it', () => {
    expect(formatClock(at, Date.parse('2026-11-16T23:59:00Z'), 'UTC')).toBe('14:02:07 UTC');
    expect(formatClock(at, Date.parse('2026-11-17T00:01:00Z'), 'UTC')).toBe('16 Nov 2026, 14:02 UTC');
  });

  it('what is no time stays as it is', () => {
    expect(formatTime('to be announced')).toBe('to be announced');
    expect(formatDate('to be announced')).toBe('to be announced');
    expect(formatDate('2025-13-45')).toBe('2025-13-45');
    expect(formatDate('2025-11-06')).toBe('6 Nov 2025');
  });

  it('within a sentence become those of the reader', () => {
    const text = 'Failed: 500. Tried again at 2026-11-16T14:02:07.123Z.';
    expect(localTimes(text, Date.parse(at), 'UTC')).toBe('Failed: 500. Tried again at 14:02:07 UTC.');
  });
});
