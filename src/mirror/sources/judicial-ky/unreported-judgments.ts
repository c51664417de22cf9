// The unreported judgments of the Cayman Islands: a CSV that WordPress serves, a page with a button for each case.

import type { Source } from '../source.ts';
import { openClient } from './open-client.ts';
import { readAjaxAnswer } from './read-ajax-answer.ts';

export const unreportedJudgments: Source = {
  id: 'unreported_judgments',
  aliases: ['unreported', 'uj', 'judgments', 'judicial_ky'],
  title: 'Cayman Islands, unreported judgments',
  columns: {
    actions: ['Actions', 'Action'],
    title: ['Title', 'Case Title'],
    causeNumber: ['Cause Number', 'Cause No.', 'Cause', 'Court file'],
    judgmentDate: ['Judgment Date', 'Date'],
    court: ['Court'],
    category: ['Category'],
    subject: ['Subject'],
    neutralCitation: ['Neutral Citation'],
  },
  indexUrl: ({ csvUrl, baseUrl }) => csvUrl ?? new URL('/wp-content/uploads/box_files/judgments.csv', baseUrl).href,
  pageUrl: ({ baseUrl }) => new URL('/judgments/unreported-judgments/', baseUrl).href,
  fileHosts: ({ fileHosts }) => fileHosts,
  openClient,
  readAnswer: readAjaxAnswer,
};
