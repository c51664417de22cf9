// The container's health check: asks the worker for /healthz where PAGE_FETCHER_METRICS_HOST and PAGE_FETCHER_METRICS_PORT have
// it listen. Exits with 0 when it answers well, else with 1 and the reason.

/** A worker that listens on every address is asked at the loopback one. */
const EVERYWHERE = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const { PAGE_FETCHER_METRICS_HOST: host = '127.0.0.1', PAGE_FETCHER_METRICS_PORT: port = '9464' } = process.env;
const asked = EVERYWHERE[host] ?? host;
const url = `http://${asked.includes(':') ? `[${asked}]` : asked}:${port}/healthz`;
try {
  if (Number(port) === 0)
    throw new Error('PAGE_FETCHER_METRICS_PORT is 0, so nobody knows where to ask; choose a port');
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`it answered ${answer.status}`);
} catch (error) {
  console.error(`${url}: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
