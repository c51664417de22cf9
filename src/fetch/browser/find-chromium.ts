// Where Chromium is: what the caller says, else CURLEW_CHROMIUM, else the usual names on the PATH and the usual places.
// A place that was named and is wrong is an error; nothing else is tried in its stead.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';

export interface FindChromiumOptions {
  /** Path of the program. Default: see above. */
  readonly executablePath?: string | undefined;
  /** Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: this one. */
  readonly platform?: NodeJS.Platform;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

const MAC_APPS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const REMEDY =
  'Install Chromium (Debian, Ubuntu: apt-get install chromium; macOS: brew install --cask chromium; Windows: install ' +
  'Google Chrome), or name the program in CURLEW_CHROMIUM.';

/** The path of a Chromium that can be executed. Throws `service_missing`. */
export async function findChromium(options: FindChromiumOptions = {}): Promise<string> {
  const { executablePath, env = process.env, platform = process.platform } = options;
  const named = executablePath ?? env.CURLEW_CHROMIUM;
  if (named !== undefined && named !== '') {
    if (await isExecutable(named)) return named;
    const where = executablePath === undefined ? 'CURLEW_CHROMIUM names' : 'the setting names';
    throw new CurlewError(ErrorCode.serviceMissing, `No Chromium: ${where} ${named}, which cannot be executed`, {
      remedy: REMEDY,
    });
  }
  for (const candidate of usualPlaces(env, platform)) {
    if (await isExecutable(candidate)) return candidate;
  }
  throw new CurlewError(ErrorCode.serviceMissing, 'Found no Chromium to load pages with (via: browser)', {
    remedy: REMEDY,
  });
}

function usualPlaces(env: Readonly<Record<string, string | undefined>>, platform: NodeJS.Platform): readonly string[] {
  const directories = (env.PATH ?? env.Path ?? '').split(delimiter).filter((directory) => directory !== '');
  const suffix = platform === 'win32' ? '.exe' : '';
  const onPath = NAMES.flatMap((name) => directories.map((directory) => join(directory, name + suffix)));
  switch (platform) {
    case 'darwin':
      return [...onPath, ...MAC_APPS];
    case 'win32': {
      const roots = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA];
      const present = roots.filter((root) => root !== undefined);
      const products = ['Chromium', join('Google', 'Chrome')];
      return [
        ...onPath,
        ...present.flatMap((root) => products.map((product) => join(root, product, 'Application', 'chrome.exe'))),
      ];
    }
    default:
      return onPath;
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
