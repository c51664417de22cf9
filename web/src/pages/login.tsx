// Logs in with a token of the server. Stands in place of every page until that is done.

import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../lib/api.ts';
import { navigate, useQuery } from '../lib/navigation.ts';
import { routeOf } from '../lib/route.ts';
import { ownPath } from '../lib/safe-link.ts';
import { logIn, useSession } from '../lib/session.ts';
import { Empty } from '../parts/loaded.tsx';
import { Page, Panel } from '../parts/page.tsx';

export function Login() {
  const [query] = useQuery();
  const session = useSession();
  const [token, setToken] = useState('');
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => alert.current?.focus(), [error]);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await logIn(token);
      if (routeOf(location.pathname).kind === 'login') {
        navigate(ownPath(query.get('next') ?? '') ?? '/', { replace: true });
      }
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      setError(problem);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Page title="Log in" lede="Others can reach this server: it shows nothing without a token.">
      {session?.loginNeeded === false ? (
        <Empty title="No login is needed">
          <p>This server can be reached from its own machine only.</p>
        </Empty>
      ) : session?.loggedIn === true ? (
        <Empty title="You are logged in" />
      ) : (
        <Panel title="Token" id="login">
          <form class="form login" onSubmit={submit}>
            {error !== undefined && (
              <div ref={alert} class="failure" role="alert" tabIndex={-1}>
                <p>{error.message}</p>
                {error.remedy !== undefined && <p>{error.remedy}</p>}
              </div>
            )}
            <div class="field">
              <label class="field-label" for="token">
                The token that the server was started with
              </label>
              <input
                id="token"
                type="password"
                autocomplete="current-password"
                required
                maxLength={1_000}
                value={token}
                onInput={(event) => setToken(event.currentTarget.value)}
              />
              <p class="field-help">
                In the environment of the server: CURLEW_TOKEN to read and change, CURLEW_READ_TOKEN only to read.
              </p>
            </div>
            <p>
              <button type="submit" class="primary" aria-busy={busy}>
                Log in
              </button>
            </p>
          </form>
        </Panel>
      )}
    </Page>
  );
}
