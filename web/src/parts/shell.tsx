// What is around every page: the way to the others, whether news come in, light or dark, who is logged in, and messages.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useSpoken } from '../lib/announce.ts';
import type { ApiError } from '../lib/api.ts';
import { type LiveState, useLiveState } from '../lib/live.ts';
import { usePlace } from '../lib/navigation.ts';
import { dismiss, notifyError, useNotices } from '../lib/notices.ts';
import type { Route } from '../lib/route.ts';
import { logOut, useSession } from '../lib/session.ts';
import { setTheme, type Theme, useTheme } from '../lib/theme.ts';
import { Link } from './link.tsx';

const PLACES: readonly { readonly to: string; readonly label: string; readonly kinds: readonly Route['kind'][] }[] = [
  { to: '/', label: 'Overview', kinds: ['overview'] },
  { to: '/runs', label: 'Runs', kinds: ['runs', 'run', 'requests', 'request', 'records'] },
  { to: '/cases', label: 'Cases', kinds: ['cases', 'case'] },
  { to: '/index', label: 'Index', kinds: ['indexVersions', 'indexVersion'] },
  { to: '/hosts', label: 'Hosts', kinds: ['hosts'] },
  { to: '/dead-letters', label: 'Dead letters', kinds: ['deadLetters'] },
  { to: '/report', label: 'Report', kinds: ['report'] },
  { to: '/start', label: 'Start a run', kinds: ['start'] },
];

export function Shell({ route, children }: { readonly route: Route; readonly children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  const { pathname } = usePlace();
  useEffect(() => setOpen(false), [pathname]);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="side">
        <div class="side-stick">
          <div class="side-top">
            <Link to="/" class="brand" label="Curlew, overview">
              <img src="/favicon.svg" alt="" width="26" height="26" />
              Curlew
            </Link>
            <LiveMark />
            <button
              type="button"
              class="menu-button"
              aria-expanded={isOpen}
              aria-controls="menu"
              onClick={() => setOpen(!isOpen)}
            >
              Menu
            </button>
          </div>
          <div id="menu" class={isOpen ? 'menu is-open' : 'menu'}>
            <nav aria-label="Pages">
              <ul>
                {PLACES.map(({ to, label, kinds }) => (
                  <li key={to}>
                    <Link to={to} current={kinds.includes(route.kind)}>
                      {label}
                    </Link>
                  </li>
                ))}
              </ul>
            </nav>
            <div class="side-foot">
              <ThemeSwitch />
              <SessionMark />
            </div>
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Notices />
      <p class="hidden" role="status">
        {useSpoken()}
      </p>
    </div>
  );
}

const LIVE_TEXTS: Readonly<Record<LiveState, string>> = {
  off: '',
  connecting: 'connecting',
  live: 'live',
  broken: 'reconnecting',
};

function LiveMark() {
  const state = useLiveState();
  return <span class={`live live-${state}`}>{LIVE_TEXTS[state]}</span>;
}

const THEMES: readonly (readonly [Theme, string])[] = [
  ['auto', 'Auto'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

function ThemeSwitch() {
  const theme = useTheme();
  return (
    <fieldset class="switch">
      <legend class="hidden">Colours</legend>
      {THEMES.map(([value, label]) => (
        <label key={value}>
          <input type="radio" name="theme" value={value} checked={theme === value} onChange={() => setTheme(value)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

function SessionMark() {
  const session = useSession();
  if (session === undefined || !session.loginNeeded) return null;
  if (!session.loggedIn) return <Link to={`/login?next=${encodeURIComponent(location.pathname)}`}>Log in</Link>;
  return (
    <button type="button" class="quiet" onClick={() => logOut().catch((error: ApiError) => notifyError(error))}>
      Log out
    </button>
  );
}

function Notices() {
  const notices = useNotices();
  return (
    <div class="notices" role="log" aria-live="polite" aria-label="Messages">
      {notices.map(({ id, tone, text }) => (
        <div key={id} class={`notice notice-${tone}`}>
          <p>{text}</p>
          <button type="button" class="quiet" aria-label="Dismiss this message" onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
