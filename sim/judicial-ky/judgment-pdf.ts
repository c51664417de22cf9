// The file of a case: a small real PDF whose bytes follow from the seed and the token alone, never from the title, so
// that a case that is retitled keeps its file.

import { chance } from '../chance.ts';
import { pdfWithText } from '../pdf.ts';

const FEWEST_LINES = 20;
const MOST_LINES = 40;
const SENTENCES = [
  'The facts are not in dispute and may be stated shortly.',
  'Counsel for the applicant submitted that the order was wrong.',
  'I have had the benefit of full written submissions.',
  'The burden lies on the party who asserts the contrary.',
  'It follows that this ground of the application fails.',
  'I turn to the question of costs, on which I will hear them.',
  'The authorities to which I was referred are of one voice.',
  'That is sufficient to dispose of the summons before me.',
];

/** Between 2 and 4 kB. */
export function judgmentPdf(seed: number, token: string): Buffer {
  const random = chance(seed, 'pdf', token);
  const count = FEWEST_LINES + Math.floor(random.next() * (MOST_LINES - FEWEST_LINES));
  const lines = Array.from({ length: count }, (_, index) => {
    const sentence = SENTENCES[Math.floor(random.next() * SENTENCES.length)] ?? '';
    return `${index + 1}. ${sentence}`;
  });
  return pdfWithText(`Judgment ${token}`, ...lines);
}
