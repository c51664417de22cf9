import { describe, expect, it } from 'vitest';
import { listConfig, RETIRED_VARIABLES, readConfig, VARIABLES } from './mirror-config.ts';
import { validateRuntimeConfig } from './validate-runtime-config.ts';

describe('settings', () => {
  it('have the defaults that are written down', () => {
    const { config, warnings, problems } = readConfig({});
    expect([warnings, problems]).toEqual([[], []]);
    expect(config).toMatchObject({
      navTimeoutMs: 25_000,
      selectorTimeoutMs: 20_000,
      downloadTimeoutMs: 120_000,
      maxParallelDownloads: 1,
      maxPendingDownloads: 100,
      webhookNewLimitMax: 50,
      staleAfterMs: 3_600_000,
      replaySkipNetwork: false,
      webhookSharedSecret: undefined,
    });
  });

  it('read their own default as that default', () => {
    for (const [key, variable] of Object.entries(VARIABLES)) {
      if (variable.defaultText === '') continue;
      expect([key, variable.read(variable.defaultText)]).toEqual([key, { kind: 'value', value: variable.fallback }]);
    }
  });

  it('take the first of their names that is set', () => {
    const env = { PLAYWRIGHT_NAV_TIMEOUT_SECONDS: '7' };
    expect(readConfig(env).config.navTimeoutMs).toBe(7_000);
    expect(readConfig({ ...env, BAILIIKC_NAV_TIMEOUT_SECONDS: '8.5' }).config.navTimeoutMs).toBe(8_500);
  });

  it.each([
    ['BAILIIKC_MAX_PARALLEL_DOWNLOADS', '0', 'maxParallelDownloads', 1],
    ['BAILIIKC_MAX_PARALLEL_DOWNLOADS', 'many', 'maxParallelDownloads', 1],
    ['BAILIIKC_MAX_PENDING_DOWNLOADS', '-5', 'maxPendingDownloads', 1],
  ] as const)('%s=%s is moved to what makes sense', (name, text, key, value) => {
    const { config, warnings } = validateRuntimeConfig('cli', 'new', { [name]: text });
    expect(config[key]).toBe(value);
    expect(warnings).toEqual([expect.stringContaining(name)]);
  });

  it.each([
    ['BAILIIKC_NAV_TIMEOUT_SECONDS', '0'],
    ['BAILIIKC_SELECTOR_TIMEOUT_SECONDS', '-1'],
    ['BAILIIKC_DOWNLOAD_TIMEOUT_SECONDS', 'soon'],
    ['PLAYWRIGHT_CLICK_TIMEOUT_MS', '0'],
    ['BAILIIKC_MIN_FREE_MB', '-1'],
    ['BAILIIKC_UJ_BASE_URL', 'ftp://x'],
    ['BAILIIKC_RECORD_REPLAY_FIXTURES', 'perhaps'],
  ])('%s=%s is an error that names it', (name, text) => {
    expect(() => validateRuntimeConfig('cli', 'new', { [name]: text })).toThrowError(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(name) }),
    );
  });

  it('switch the network off for replays and tests only', () => {
    const env = { BAILIIKC_REPLAY_SKIP_NETWORK: '1' };
    for (const entrypoint of ['cli', 'ui', 'webhook', 'cron'] as const) {
      expect(() => validateRuntimeConfig(entrypoint, 'new', env)).toThrowError(
        expect.objectContaining({ code: 'config_invalid' }),
      );
    }
    for (const entrypoint of ['replay', 'tests'] as const) {
      expect(validateRuntimeConfig(entrypoint, 'new', env).config.replaySkipNetwork).toBe(true);
    }
  });

  it('say that switches of the earlier design do nothing', () => {
    expect(readConfig({ [RETIRED_VARIABLES[0]]: '1' }).warnings).toEqual([expect.stringContaining('has no effect')]);
  });

  it('are listed without the secret', () => {
    const rows = listConfig({ BAILIIKC_WEBHOOK_SHARED_SECRET: 'hunter2', BAILIIKC_MIN_FREE_MB: '7' });
    expect(JSON.stringify(rows)).not.toContain('hunter2');
    expect(rows).toHaveLength(Object.keys(VARIABLES).length);
    expect(rows.find(({ name }) => name === 'BAILIIKC_MIN_FREE_MB')).toMatchObject({
      value: '7',
      default: '400',
      isSet: true,
    });
    expect(rows.find(({ name }) => name === 'BAILIIKC_WEBHOOK_SHARED_SECRET')).toMatchObject({
      value: '***',
      isSet: true,
    });
  });
});
