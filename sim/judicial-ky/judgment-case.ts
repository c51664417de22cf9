// One judgment as data. Everything in it follows from the seed and the index alone, so that the cases of one version of
// the index are, to the byte, those of the next. The first twenty are the awkward ones, whatever the seed.

import { createHash } from 'node:crypto';
import type { Random } from '../../src/platform/random.ts';
import { chance } from '../chance.ts';

export interface JudgmentCase {
  readonly index: number;
  /** As the page has it in `data-dl`: what AJAX wants as `fname`. A few hold `-` or `&`. */
  readonly token: string;
  /** The token without all but A–Z and 0–9: unique. */
  readonly norm: string;
  /** The number on the page that AJAX wants as `fid`. */
  readonly fid: string;
  readonly citation: string;
  readonly causeNumber: string;
  /** ISO date, or null when the index has none that can be read. */
  readonly judgmentDate: string | null;
  /** The date as the index writes it: five forms, blank, or nonsense. */
  readonly dateText: string;
  /** Not unique, and blank once. */
  readonly title: string;
  readonly subject: string;
  readonly court: string;
  readonly category: string;
  readonly isCriminal: boolean;
}

/** From here on cases are as chance has it. */
export const FIRST_PLAIN_INDEX = 20;

const NEWEST_JUDGMENT = Date.UTC(2025, 9, 31);
const DAY_MS = 86_400_000;
const DAYS_BETWEEN = 1.3;
const CRIMINAL_RATE = 0.1;
const OPAQUE_RATE = 0.25;
const OPAQUE_LENGTH = 52;

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const JUDGES = ['JAJ', 'DDJ', 'RPJ', 'IKJ', 'MRHJ', 'ASCJ', 'NSJ'];
const NAMES = 'Mangrove Ironwood Silver Thatch Stingray Conch Coral Tarpon Parrot Orchid Trade Wind Reef'.split(' ');
const FIRMS = ['Holdings Ltd', 'Capital LP', 'Trust', 'Life Science', 'Fund SPC', 'Shipping Co', 'Partners', 'Bank'];
const SUBJECTS = [
  'Winding up',
  'Security for costs',
  'Discovery',
  'Trusts',
  'Sentencing',
  'Leave to appeal',
  'Custody',
];
const CRIMINAL_CATEGORIES = ['Criminal', 'CRIMINAL APPEAL', 'Grand Court – criminal'];

interface Division {
  readonly code: string;
  readonly citation: string;
  readonly court: string;
  readonly category: string;
}

const DIVISIONS: readonly Division[] = [
  { code: 'FSD', citation: 'CIGC (FSD)', court: 'Grand Court', category: 'Financial Services' },
  { code: 'G', citation: 'CIGC (Civ)', court: 'Grand Court', category: 'Civil' },
  { code: 'FAM', citation: 'CIGC (Fam)', court: 'Grand Court', category: 'Family' },
  { code: 'CICA', citation: 'CICA (Civ)', court: 'Court of Appeal', category: 'Civil' },
];
const CRIMINAL: Division = { code: 'IND', citation: 'CIGC (Crim)', court: 'Grand Court', category: 'Criminal' };

/** Three cases share the first one's title; of three pairs, each is one row of the index with two tokens. */
const SAME_TITLE = [0, 1, 2];
const SECOND_OF_PAIR = [6, 8, 10];
const ALWAYS_CRIMINAL = 14;
const NAME_IN_TOKEN: Readonly<Record<number, string>> = { 11: 'SMITH-JONES', 12: 'REEF&CO' };
const ODD_FIELDS: Readonly<Record<number, Partial<JudgmentCase>>> = {
  15: { title: 'Re "Blue Iguana", a Yacht; Peña & Sons <intervening>' },
  16: { title: 'In the Matter of the Companies Act\n(2023 Revision)' },
  17: { title: '', subject: '' },
  18: { court: '', category: '' },
  19: { dateText: 'to be announced', judgmentDate: null },
};

/** `daysAfter`: judged so many days after the newest of the first version, rather than when its index says. */
export function judgmentCase(seed: number, index: number, daysAfter?: number): JudgmentCase {
  const own = ownFields(seed, index, daysAfter);
  const first = SAME_TITLE.includes(index) ? judgmentFields(seed, 0, undefined).title : undefined;
  const shared = SECOND_OF_PAIR.includes(index) ? judgmentCase(seed, index - 1) : undefined;
  return {
    ...(shared ?? judgmentFields(seed, index, daysAfter)),
    ...own,
    ...(first === undefined ? {} : { title: first }),
  };
}

type OwnFields = Pick<JudgmentCase, 'index' | 'token' | 'norm' | 'fid'>;

/** What no two cases share. */
function ownFields(seed: number, index: number, daysAfter: number | undefined): OwnFields {
  const token = tokenOf(seed, index, daysAfter);
  const fid = String(1_000_000_000_000 + index * 7_919 + Math.floor(chance(seed, 'fid', index).next() * 7_919));
  return { index, token, norm: token.replace(/[^A-Z0-9]/g, ''), fid };
}

function judgmentFields(
  seed: number,
  index: number,
  daysAfter: number | undefined,
): Omit<JudgmentCase, keyof OwnFields> {
  const random = chance(seed, 'judgment', index);
  const isCriminal = isCriminalCase(seed, index);
  const division = divisionOf(seed, index);
  const date = judgmentDateOf(index, daysAfter);
  const year = date.getUTCFullYear();
  return {
    citation: `[${year}] ${division.citation} ${1 + (index % 400)}`,
    causeNumber: `${division.code} ${serial(index)} OF ${filingDateOf(seed, index, daysAfter).getUTCFullYear()} (${pick(random, JUDGES)})`,
    title: titleOf(random, isCriminal),
    subject: random.next() < 0.03 ? '' : pick(random, SUBJECTS),
    court: division.court,
    category: isCriminal ? pick(random, CRIMINAL_CATEGORIES) : division.category,
    isCriminal,
    ...dateFields(random, date, index),
    ...ODD_FIELDS[index],
  };
}

function isCriminalCase(seed: number, index: number): boolean {
  if (index < FIRST_PLAIN_INDEX) return index === ALWAYS_CRIMINAL;
  return chance(seed, 'criminal', index).next() < CRIMINAL_RATE;
}

function divisionOf(seed: number, index: number): Division {
  if (isCriminalCase(seed, index)) return CRIMINAL;
  return DIVISIONS[Math.floor(chance(seed, 'division', index).next() * DIVISIONS.length)] ?? CRIMINAL;
}

function tokenOf(seed: number, index: number, daysAfter: number | undefined): string {
  const random = chance(seed, 'token', index);
  const given = NAME_IN_TOKEN[index];
  if (given === undefined && random.next() < OPAQUE_RATE) {
    const digest = createHash('sha256').update(`${seed}/token/${index}`).digest('hex');
    return digest.toUpperCase().slice(0, OPAQUE_LENGTH);
  }
  const filed = filingDateOf(seed, index, daysAfter);
  const [year = '', month = '', day = ''] = isoDate(filed).split('-');
  const name = given ?? `${pick(random, NAMES)}${pick(random, FIRMS)}`.replace(/[^A-Za-z]/g, '').toUpperCase();
  return `${divisionOf(seed, index).code}${serial(index)}${year}${month}${day}${year}${name}`;
}

function judgmentDateOf(index: number, daysAfter: number | undefined): Date {
  return new Date(NEWEST_JUDGMENT + Math.round(daysAfter ?? -index * DAYS_BETWEEN) * DAY_MS);
}

/** The day of the judgment, or up to three years before. */
function filingDateOf(seed: number, index: number, daysAfter: number | undefined): Date {
  const random = chance(seed, 'filed', index);
  const days = random.next() < 0.3 ? 0 : Math.floor(random.next() * 1_000);
  return new Date(judgmentDateOf(index, daysAfter).getTime() - days * DAY_MS);
}

function dateFields(random: Random, date: Date, index: number): Pick<JudgmentCase, 'judgmentDate' | 'dateText'> {
  const [year = '', month = '', day = ''] = isoDate(date).split('-');
  const name = MONTHS[date.getUTCMonth()] ?? '';
  const short = name.slice(0, 3);
  const usual = `${year}-${short}-${day}`;
  const others = [
    `${day}-${short}-${year}`,
    `${day}/${month}/${year}`,
    `${year}-${month}-${day}`,
    `${Number(day)} ${name} ${year}`,
  ];
  const drawn = random.next();
  if (index >= FIRST_PLAIN_INDEX && drawn > 0.995) return { judgmentDate: null, dateText: '' };
  return { judgmentDate: isoDate(date), dateText: drawn < 0.2 ? pick(random, others) : usual };
}

function titleOf(random: Random, isCriminal: boolean): string {
  const firm = `${pick(random, NAMES)} ${pick(random, FIRMS)}`;
  const other = `${pick(random, NAMES)} ${pick(random, FIRMS)}`;
  if (isCriminal) return `R v ${pick(random, NAMES)}`;
  return random.next() < 0.3
    ? `In the Matter of ${firm}`
    : `${firm} v ${other} and ${1 + Math.floor(random.next() * 9)} Others`;
}

function serial(index: number): string {
  return String(index + 1).padStart(4, '0');
}

function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function pick(random: Random, list: readonly string[]): string {
  return list[Math.floor(random.next() * list.length)] ?? '';
}
