// One case as data. Everything in it follows from the seed and the id alone, so that a court that grows between two
// runs does not change the cases it had.

import type { Random } from '../../src/platform/random.ts';
import { chance } from '../chance.ts';

interface Party {
  readonly role: 'Plaintiff' | 'Defendant';
  readonly name: string;
}

interface DocketEntry {
  readonly date: string;
  readonly text: string;
}

export interface CaseRecord {
  readonly id: number;
  readonly division: Division;
  /** For example `2024-CV-000017`. */
  readonly number: string;
  readonly title: string;
  /** ISO date. */
  readonly filed: string;
  readonly judge: string;
  readonly parties: readonly Party[];
  readonly entries: readonly DocketEntry[];
  /** Paths of its PDFs, none to two. */
  readonly documents: readonly string[];
}

type Division = 'civil' | 'criminal';

const FIRST_DAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
const CASES_A_DAY = 4;

const SURNAMES = (
  'Abara Bennett Castellano Duarte Eriksen Farrow Gallagher Hidalgo Ito Jansen Kowalski Lindqvist Marchetti Novak ' +
  "O'Hara Petrov Quiroga Rasmussen Schäfer Tanaka Underhill Vasquez Whitlock Xu Yilmaz Zimmerman"
).split(' ');
const GIVEN_NAMES = 'Ada Bruno Clara David Elena Felix Greta Hugo Iris Jonas Karin Leo Marta Nils Olga Paul'.split(' ');
const FIRMS = ['Freight & Sons', 'Holdings LLC', 'Insurance Co.', 'Water District', 'Builders Ltd', 'Savings Bank'];
const EVENTS = [
  'Complaint filed',
  'Summons issued',
  'Answer filed',
  'Motion to dismiss',
  'Order denying motion',
  'Notice of hearing',
  'Hearing held',
  'Stipulation of the parties',
  'Judgment entered',
];

export function caseRecord(seed: number, id: number): CaseRecord {
  const random = chance(seed, 'case', id);
  const division: Division = id % 2 === 0 ? 'criminal' : 'civil';
  const filedDay = Math.floor(id / CASES_A_DAY);
  const filed = isoDate(filedDay);
  const defendant = random.next() < 0.3 ? `${pick(random, SURNAMES)} ${pick(random, FIRMS)}` : personName(random);
  const plaintiff = division === 'civil' ? personName(random) : 'The State';
  const documents = Math.floor(random.next() * 3);
  return {
    id,
    division,
    number: `${filed.slice(0, 4)}-${division === 'civil' ? 'CV' : 'CR'}-${String(id).padStart(6, '0')}`,
    title: `${lastWord(plaintiff)} v. ${lastWord(defendant)}`,
    filed,
    judge: `Hon. ${personName(random)}`,
    parties: [
      { role: 'Plaintiff', name: plaintiff },
      { role: 'Defendant', name: defendant },
    ],
    entries: EVENTS.slice(0, 3 + Math.floor(random.next() * (EVENTS.length - 3))).map((text, index) => ({
      date: isoDate(filedDay + index * 9),
      text,
    })),
    documents: Array.from({ length: documents }, (_, index) => `/files/${id}-${index + 1}.pdf`),
  };
}

function isoDate(day: number): string {
  return new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
}

function personName(random: Random): string {
  return `${pick(random, GIVEN_NAMES)} ${pick(random, SURNAMES)}`;
}

function lastWord(name: string): string {
  const [given = '', ...rest] = name.split(' ');
  return GIVEN_NAMES.includes(given) ? rest.join(' ') : name;
}

function pick(random: Random, list: readonly string[]): string {
  return list[Math.floor(random.next() * list.length)] ?? '';
}
