// Draws the page that the address names. Another address is another page: nothing of the one before stays.

import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from './lib/api.ts';
import { usePlace } from './lib/navigation.ts';
import { notifyError } from './lib/notices.ts';
import { type Route, routeOf } from './lib/route.ts';
import { loadSession, useLocked } from './lib/session.ts';
import { CasePage } from './pages/case.tsx';
import { Cases } from './pages/cases.tsx';
import { DeadLetters } from './pages/dead-letters.tsx';
import { Hosts } from './pages/hosts.tsx';
import { IndexVersionPage } from './pages/index-version.tsx';
import { IndexVersions } from './pages/index-versions.tsx';
import { Login } from './pages/login.tsx';
import { Overview } from './pages/overview.tsx';
import { Report } from './pages/report.tsx';
import { RequestPage } from './pages/request.tsx';
import { RunPage } from './pages/run.tsx';
import { RunItems } from './pages/run-items.tsx';
import { Runs } from './pages/runs.tsx';
import { Start } from './pages/start.tsx';
import { Link } from './parts/link.tsx';
import { Empty } from './parts/loaded.tsx';
import { Page } from './parts/page.tsx';
import { Shell } from './parts/shell.tsx';

export function App() {
  const { pathname } = usePlace();
  const route = routeOf(pathname);
  const [known, setKnown] = useState(false);
  const locked = useLocked();
  useEffect(() => {
    loadSession()
      .catch((error: ApiError) => notifyError(error))
      .finally(() => setKnown(true));
  }, []);
  return (
    <Shell route={route}>
      <div key={pathname} class="page">
        {known && (locked ? <Login /> : pageOf(route))}
      </div>
    </Shell>
  );
}

function pageOf(route: Route) {
  switch (route.kind) {
    case 'overview':
      return <Overview />;
    case 'runs':
      return <Runs />;
    case 'run':
      return <RunPage id={route.run} />;
    case 'requests':
      return <RunItems run={route.run} show="requests" />;
    case 'request':
      return <RequestPage run={route.run} id={route.request} />;
    case 'records':
      return <RunItems run={route.run} show="records" />;
    case 'cases':
      return <Cases />;
    case 'case':
      return <CasePage source={route.source} token={route.token} />;
    case 'indexVersions':
      return <IndexVersions />;
    case 'indexVersion':
      return <IndexVersionPage version={route.version} />;
    case 'hosts':
      return <Hosts />;
    case 'deadLetters':
      return <DeadLetters />;
    case 'start':
      return <Start />;
    case 'report':
      return <Report />;
    case 'login':
      return <Login />;
    case 'unknown':
      return <NotFound />;
  }
}

function NotFound() {
  return (
    <Page title="No such page">
      <Empty title="There is nothing at this address">
        <p>
          <Link to="/">Go to the overview</Link>
        </p>
      </Empty>
    </Page>
  );
}
