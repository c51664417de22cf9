import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownName, quoted } from './own-name.ts';

describe('ownName', () => {
  it('is the script in a checkout, from wherever it was called', () => {
    expect(ownName('/src/curlew/bin/curlew.js', '/src/curlew')).toBe('node bin/curlew.js');
    expect(ownName('/src/curlew/bin/curlew.js', '/src')).toBe('node curlew/bin/curlew.js');
  });

  it('is npx for a package of a project, and plain for one that is installed for all', () => {
    expect(ownName('/project/node_modules/.bin/curlew', '/project')).toBe('npx curlew');
    expect(ownName('/usr/local/bin/curlew', '/project')).toBe('curlew');
    expect(ownName('/project/node_modules/curlew/bin/curlew.js', '/project')).toBe('npx curlew');
    expect(ownName('/usr/local/lib/node_modules/curlew/bin/curlew.js', '/project')).toBe('curlew');
  });
});

describe('quoted', () => {
  it('leaves ordinary paths as they are', () => {
    expect(quoted('./curlew-data/demo-1')).toBe('./curlew-data/demo-1');
  });

  it('is read by a shell as the argument it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (argument) => {
        fc.pre(!argument.includes('\0') && argument.isWellFormed());
        expect(execFileSync('sh', ['-c', `printf %s ${quoted(argument)}`], { encoding: 'utf8' })).toBe(argument);
      }),
      { numRuns: 25 },
    );
  });
});
