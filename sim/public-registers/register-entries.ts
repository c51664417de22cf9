// What stands in the registers, as it follows from the seed: filings of companies, licences, and the orders of a regulator.
// The second edition has new entries, lacks one, and has another document for one.

import { chance } from '../chance.ts';
import { pdfWithText } from '../pdf.ts';

export type Edition = 'v1' | 'v2';

export interface RegisterEntry {
  /** `C-00017`: stable, and the same in the list, in the file and in the address of its page. */
  readonly number: string;
  readonly name: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  /** Names its document; the same number in both editions unless it was amended. */
  readonly document: string;
}

export interface Register {
  readonly id: string;
  readonly title: string;
  readonly entries: readonly RegisterEntry[];
}

/** Registers that are lists of pages. */
export const LISTED = ['companies', 'licences'] as const;
/** The register that is published as a file. */
export const ORDERS = 'orders';

const TITLES: Readonly<Record<string, string>> = {
  companies: 'Companies struck off',
  licences: 'Licensed trustees',
  [ORDERS]: 'Orders of the regulator',
};

const FIRST = ['Harbour', 'Meridian', 'Palm', 'Coral', 'Northward', 'Seven Mile', 'Ironwood', 'Blue Iguana'];
const SECOND = [
  'Holdings',
  'Trustees',
  'Capital',
  'Shipping',
  'Reinsurance',
  'Nominees, Ltd.',
  '"Old" Fund',
  'Partners',
];

export interface RegisterOptions {
  readonly seed?: number;
  /** Entries of each register in the first edition. Default 60. */
  readonly entries?: number;
}

const NEW_IN_SECOND = 3;

/** A register in an edition. */
export function registerOf(id: string, edition: Edition, { seed = 1, entries = 60 }: RegisterOptions): Register {
  const count = edition === 'v1' ? entries : entries + NEW_IN_SECOND;
  const all = Array.from({ length: count }, (_, index) => entryOf(seed, id, index + 1, edition));
  // The second entry is gone from the second edition.
  const shown = edition === 'v1' ? all : all.filter((_, index) => index !== 1);
  return { id, title: TITLES[id] ?? id, entries: shown };
}

function entryOf(seed: number, register: string, nth: number, edition: Edition): RegisterEntry {
  const random = chance(seed, register, nth);
  const number = `${register.charAt(0).toUpperCase()}-${String(nth).padStart(5, '0')}`;
  const pick = (from: readonly string[]) => from[Math.floor(random.next() * from.length)] ?? '';
  const date = new Date(Date.UTC(2024, 0, 1 + Math.floor(random.next() * 600))).toISOString().slice(0, 10);
  const isAmended = edition === 'v2' && nth === 1;
  return { number, name: `${pick(FIRST)} ${pick(SECOND)}`, date, document: isAmended ? `${number}-R` : number };
}

/** The bytes of a document: a small real PDF. */
export function documentBytes(document: string): Buffer {
  const lines = Array.from({ length: 30 }, (_, line) => `${line + 1}. Entry ${document} was filed with the registrar.`);
  return pdfWithText(`Document ${document}`, ...lines);
}
