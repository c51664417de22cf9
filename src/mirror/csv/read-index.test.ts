import { describe, expect, it } from 'vitest';
import { unreportedJudgments } from '../sources/judicial-ky/unreported-judgments.ts';
import { type ReadIndex, readIndex } from './read-index.ts';

const HEADER = 'Neutral Citation,Cause Number,Judgment Date,Title,Subject,Court,Category,Actions';

function read(text: string | Buffer, contentType = 'text/csv'): ReadIndex {
  const index = readIndex(Buffer.from(text), contentType, unreportedJudgments.columns);
  if (index.kind === 'unusable') throw new Error(index.reason);
  return index;
}

function reason(text: string): string | undefined {
  const index = readIndex(Buffer.from(text), 'text/csv', unreportedJudgments.columns);
  return index.kind === 'unusable' ? index.reason : undefined;
}

describe('readIndex', () => {
  it('reads byte order mark, CRLF, quotes, commas and line breaks in quotes', () => {
    const { cases, rowCount } = read(
      `\ufeff${HEADER}\r\n[2025] CIGC (FSD) 105,FSD 0151 OF 2025 (JAJ),2025-Nov-06,"A, ""B"" and\r\nC",Winding up,Grand Court,Civil,TOK1\r\n`,
    );
    expect(rowCount).toBe(1);
    expect(cases).toEqual([
      {
        actionTokenRaw: 'TOK1',
        actionTokenNorm: 'TOK1',
        title: 'A, "B" and\r\nC',
        causeNumber: 'FSD 0151 OF 2025 (JAJ)',
        court: 'Grand Court',
        category: 'Civil',
        subject: 'Winding up',
        neutralCitation: '[2025] CIGC (FSD) 105',
        judgmentDate: '2025-11-06',
        otherJson: null,
        isCriminal: false,
      },
    ]);
  });

  it('knows columns by their other names, in any case and order, and keeps those it does not know', () => {
    const { cases } = read(
      'ACTION,judge,case title,Court File,date,category\nT1,Smith J,Re X,FSD 1,06/11/2025,Criminal\n',
    );
    expect(cases).toMatchObject([
      { actionTokenNorm: 'T1', title: 'Re X', causeNumber: 'FSD 1', judgmentDate: '2025-11-06', isCriminal: true },
    ]);
    expect(cases[0]?.otherJson).toBe('{"judge":"Smith J"}');
  });

  it('keeps two unknown columns of one name apart', () => {
    expect(read('Actions,Title,Category,Note,Note\nT1,x,y,a,b\n').cases[0]?.otherJson).toBe(
      '{"Note":"a","Note (2)":"b"}',
    );
  });

  it('makes a case of each token in a cell, and one of tokens that are alike, which it names', () => {
    const { cases, duplicates } = read('Actions,Title,Category\nA1|B2,x,y\na-1,z,y\nC3,z,y\n');
    expect(cases.map(({ actionTokenNorm, title }) => [actionTokenNorm, title])).toEqual([
      ['A1', 'x'],
      ['B2', 'x'],
      ['C3', 'z'],
    ]);
    expect(duplicates).toEqual([{ tokenNorm: 'A1', raw: ['A1', 'a-1'], lines: [2, 3] }]);
  });

  it('does not take a moved cell for a token', () => {
    const { cases, unreadable } = read(
      'Title,Category,Actions\nA, B,Civil,TOK\nC,Civil\nD,Civil,—\nE,Civil,GOOD,,\n\n',
    );
    expect(cases.map(({ actionTokenNorm }) => actionTokenNorm)).toEqual(['GOOD']);
    expect(unreadable).toEqual([
      { line: 2, reason: 'more cells than columns' },
      { line: 3, reason: 'no token' },
      { line: 4, reason: 'invalid token' },
    ]);
  });

  it('keeps a date it cannot read, and names it', () => {
    const { cases, unreadDates } = read('Title,Category,Actions,Date\nA,Civil,T,Michaelmas 2025\n');
    expect(cases[0]?.judgmentDate).toBe('Michaelmas 2025');
    expect(unreadDates).toEqual([{ line: 2, text: 'Michaelmas 2025' }]);
  });

  it('reads what a spreadsheet saved as Windows-1252', () => {
    expect(read(Buffer.from('Title,Category,Actions\nCaf\xe9,Civil,T\n', 'latin1')).cases[0]?.title).toBe('Café');
  });

  it('takes a quote in the middle of a cell for what it is', () => {
    expect(read('Title,Category,Actions\nThe "Boss" v R,Civil,T\n').cases[0]?.title).toBe('The "Boss" v R');
  });

  it.each([
    ['<!DOCTYPE html><html><body>Maintenance</body></html>', 'it is an HTML page, not a CSV'],
    ['', 'it is empty'],
    ['Title,Actions\nx,T\n', 'it has no column Category'],
    ['Title;Category;Actions\nx;y;T\n', 'it has no column Actions, Title, Category'],
    ['Title,Category,Actions\nA,Civil,T1\nB,Ci', 'it is cut off: line 3, the last one, ends before the column Actions'],
  ])('says why %j is no index', (text, why) => {
    expect(reason(text)).toBe(why);
  });

  it.each([
    'Title,Category,Actions\nA,Civil,T1\nB,Civil\n',
    'Title,Category,Actions\nA,Civil,T1\nB,Civil,',
    'Actions,Title,Category\nT1,A,Civil\nT2,B',
  ])('does not take %j for cut off', (text) => {
    expect(reason(text)).toBeUndefined();
  });

  it('says that a quote is not closed, rather than swallowing the rest', () => {
    expect(reason('Title,Category,Actions\n"A,Civil,T1\nB,Civil,T2\n')).toMatch(
      /^it cannot be read as CSV: Quote Not Closed/,
    );
  });
});
