import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startSite } from '../../sim/site.ts';
import { classifyBrowser } from '../../src/fetch/browser/classify-browser.ts';
import { parseHostPattern } from '../../src/fetch/guard/host-pattern.ts';
import { parseProxy } from '../../src/fetch/proxy/proxy-server.ts';
import type { Sockets } from '../../src/platform/sockets.ts';
import { httpProxy } from '../fixtures/http-proxy.ts';
import { letThrough } from '../fixtures/let-through.ts';
import { socksProxy } from '../fixtures/socks-proxy.ts';
import {
  answer,
  closing,
  codeOf,
  load,
  openBrowser,
  recordingAdmit,
  reply,
  sharedBrowser,
  startPages,
  text,
} from './browser-setup.ts';

const allowOnly = (url: string) => [parseHostPattern(new URL(url).host)];

/** A listener that answers anything to anyone, WebSockets too, and remembers the paths and how often it was connected to. */
async function startTrap() {
  const paths = new Set<string>();
  let connections = 0;
  const server = createServer((request, response) => {
    paths.add(request.url ?? '');
    response.writeHead(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }).end('1');
  });
  server.on('upgrade', (request, socket) => {
    paths.add(request.url ?? '');
    socket.end('HTTP/1.1 400 No\r\n\r\n');
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return closing({ host, url: `http://${host}`, paths, connections: () => connections, close });
}

const WAYS = [
  'img',
  'script',
  'style',
  'css',
  'frame',
  'object',
  'video',
  'preload',
  'fetch',
  'post',
  'xhr',
  'events',
  'beacon',
  'ws',
  'worker',
  'report',
];
/** Those that have ended when the page says that it is done. */
const SURE_WAYS = ['img', 'script', 'style', 'frame', 'fetch', 'post', 'xhr', 'events', 'ws', 'worker'];
const REDIRECTS = ['img', 'script', 'frame', 'fetch', 'worker'];

/** A page that tries every way it has to reach `trap`, directly and by a redirect of its own site, and then says so. */
function greedyPage(trap: string): string {
  const http = `http://${trap}`;
  return `<!doctype html>
    <link rel="preconnect" href="${http}"><link rel="dns-prefetch" href="${http}">
    <link rel="preload" as="script" href="${http}/preload">
    <link rel="stylesheet" href="${http}/style"><style>body { background: url(${http}/css) }</style>
    <img src="${http}/img"><img src="/to/img"><script src="${http}/script"></script><script src="/to/script"></script>
    <iframe src="${http}/frame"></iframe><iframe src="/to/frame"></iframe>
    <object data="${http}/object"></object><video src="${http}/video" preload="auto"></video>
    <script>
      const ended = (target, ...events) =>
        new Promise((resolve) => { for (const event of events) target.addEventListener(event, resolve) });
      const worker = (url) => ended(new Worker('/worker.js#' + url), 'message', 'error');
      const xhr = new XMLHttpRequest();
      xhr.open('GET', '${http}/xhr');
      xhr.send();
      navigator.sendBeacon('${http}/beacon', 'x');
      const events = new EventSource('${http}/events');
      const tries = {
        fetch: fetch('${http}/fetch'),
        byFetch: fetch('/to/fetch', { mode: 'no-cors' }),
        post: fetch('${http}/post', { method: 'POST', body: 'x', headers: { 'x-preflight': '1' } }),
        xhr: ended(xhr, 'loadend'),
        events: ended(events, 'error', 'open').then(() => events.close()),
        ws: ended(new WebSocket('ws://${trap}/ws'), 'close'),
        worker: worker('${http}/worker'),
        byWorker: worker('/to/worker'),
        serviceWorker: navigator.serviceWorker.register('/sw.js'),
      };
      const list = document.body.appendChild(document.createElement('ul'));
      for (const [name, end] of Object.entries(tries)) end.catch(() => {}).then(() => list.append(name, ' '));
      const say = (id) => list.insertAdjacentHTML('beforeend', '<li id="' + id + '">' + id + '</li>');
      Promise.allSettled(Object.values(tries)).then(() => say('done'));
      // Beacons and reports leave when they like: only the trap knows when all have come.
      const ask = async () => ((await (await fetch('/all-there')).text()) === 'yes' ? say('all') : setTimeout(ask, 50));
      ask();
    </script>`;
}

const WORKER = "fetch(location.hash.slice(1), { mode: 'no-cors' }).catch(() => {}).then(() => postMessage('tried'))";

async function startGreedySite({ host: trapHost, paths }: { host: string; paths: ReadonlySet<string> }) {
  const to = (path: string) =>
    reply(302, '', { location: `http://${trapHost}/by-${path}`, 'access-control-allow-origin': '*' });
  const csp = `connect-src * 'unsafe-inline'; img-src 'none'; report-uri http://${trapHost}/report`;
  const pages = Object.fromEntries(REDIRECTS.map((way) => [`/to/${way}`, to(way)]));
  return startPages({
    ...pages,
    '/': reply(200, greedyPage(trapHost), { 'content-security-policy-report-only': csp }),
    '/worker.js': reply(200, WORKER, { 'content-type': 'text/javascript' }),
    '/sw.js': reply(200, `fetch('http://${trapHost}/sw')`, { 'content-type': 'text/javascript' }),
    '/all-there': () => reply(200, expectedPaths.every((path) => paths.has(path)) ? 'yes' : 'no'),
    '/to-trap': reply(302, '', { location: `http://${trapHost}/document` }),
  });
}

const expectedPaths = [...WAYS.map((way) => `/${way}`), ...REDIRECTS.map((way) => `/by-${way}`)].sort();

describe('the guard around Chromium', () => {
  it('asks before every request a page makes, whatever way it takes', async () => {
    const trap = await startTrap();
    const site = await startGreedySite(trap);
    const { admit, asked } = recordingAdmit();
    const result = await load(await openBrowser(), site.url, { admit, waitFor: '#all' });
    expect(codeOf(result)).toBe('answer');
    const atTrap = asked.map(({ url }) => new URL(url)).filter(({ host }) => host === trap.host);
    expect([...new Set(atTrap.map(({ pathname }) => pathname))].sort()).toEqual(expectedPaths);
    expect([...trap.paths].sort()).toEqual(expectedPaths);
    expect(answer(result).traffic).toMatchObject({ refused: 0, refusals: [], failed: 0 });
  });

  it('lets none of them connect to an address that is not allowed', async () => {
    const trap = await startTrap();
    const site = await startGreedySite(trap);
    const browser = await openBrowser({ allow: allowOnly(site.url) });
    const result = await load(browser, site.url, { waitFor: '#done' });
    expect(codeOf(result)).toBe('answer');
    expect(trap.connections()).toBe(0);
    const { refused, refusals } = answer(result).traffic;
    expect(refused).toBeGreaterThanOrEqual(SURE_WAYS.length);
    expect(new Set(refusals.map(({ url }) => new URL(url).host))).toEqual(new Set([trap.host]));
    expect(refusals[0]?.reason).toContain('is not a public address');
  });

  it('lets none of them leave when robots.txt says no', async () => {
    const trap = await startTrap();
    const site = await startGreedySite(trap);
    const { admit } = recordingAdmit(({ host }) => host === trap.host);
    const result = await load(await openBrowser(), site.url, { admit, waitFor: '#done' });
    expect(codeOf(result)).toBe('answer');
    expect(trap.connections()).toBe(0);
    expect(answer(result).traffic.refused).toBeGreaterThanOrEqual(SURE_WAYS.length);
    expect(answer(result).traffic.refusals[0]?.reason).toBe('robots.txt says no');
  });

  it('stops a document that is led to a place it must not go', async () => {
    const trap = await startTrap();
    const site = await startGreedySite(trap);
    const browser = await openBrowser({ allow: allowOnly(site.url) });
    const refused = await load(browser, `${site.url}/to-trap`);
    expect(refused).toMatchObject({ kind: 'failure', code: 'address_refused', hops: [{ status: 302 }] });
    const { admit } = recordingAdmit(({ host }) => host === trap.host);
    const disallowed = await load(browser, `${site.url}/to-trap`, { admit });
    expect(disallowed).toMatchObject({ kind: 'refused', url: `${trap.url}/document`, reason: 'robots.txt says no' });
    if (disallowed.kind !== 'refused') return;
    const context = { now: 0, conditional: false, retryAfter: () => undefined };
    expect(classifyBrowser(disallowed, context)).toEqual({ kind: 'skipped', reason: 'robots.txt says no' });
    expect(trap.connections()).toBe(0);
  });

  it('runs no service worker: the next page is asked of its site', async () => {
    const page = `<iframe></iframe><ul></ul><script>
      const ways = [window, frames[0]].map(async ({ navigator, ServiceWorkerContainer }) => {
        await navigator.serviceWorker.register('/sw.js');
        delete ServiceWorkerContainer.prototype.register;
        await ServiceWorkerContainer.prototype.register.call(window.navigator.serviceWorker, '/sw.js');
      });
      Promise.allSettled(ways).then(async () => {
        const there = await navigator.serviceWorker.getRegistrations();
        document.querySelector('ul').innerHTML = '<li>' + there.length + ' there</li>';
      });
    </script>`;
    const worker = 'addEventListener("fetch", (event) => event.respondWith(new Response("forged")))';
    const site = await startPages({
      '/': page,
      '/sw.js': reply(200, worker, { 'content-type': 'text/javascript' }),
      '/next': 'genuine',
    });
    const browser = await sharedBrowser();
    expect(text(await load(browser, site.url, { waitFor: 'li' }))).toContain('<li>0 there</li>');
    expect(text(await load(browser, `${site.url}/next`))).toContain('genuine');
    expect(site.log.entries.map(({ path }) => path)).toEqual(['/', '/next']);
  });

  it('is not got round by names that lead home', async () => {
    const trap = await startTrap();
    const port = new URL(trap.url).port;
    const browser = await openBrowser({ allow: [] });
    for (const host of ['localhost', 'x.localhost', '[::1]', '127.1', '2130706433', '0.0.0.0']) {
      expect([host, codeOf(await load(browser, `http://${host}:${port}/`))]).toEqual([host, 'address_refused']);
    }
    expect(trap.connections()).toBe(0);
  });

  it('is not got round by a name that changes its address', async () => {
    const trap = await startTrap();
    const page = '<body><script>fetch("/again").finally(() => { document.body.id = "tried" })</script>';
    const site = await startPages({ '/': reply(200, page, { connection: 'close' }) });
    let answers = 0;
    const sockets: Sockets = {
      async resolve() {
        answers += 1;
        return [{ address: answers === 1 ? '93.184.215.14' : '127.0.0.1', family: 4 }];
      },
      connect(addresses) {
        const port = new URL(addresses[0]?.address === '127.0.0.1' ? trap.url : site.url).port;
        return connect(Number(port), '127.0.0.1');
      },
    };
    const browser = await openBrowser({ allow: [], sockets });
    const result = await load(browser, 'http://rebind.example/', { waitFor: '#tried' });
    expect(answer(result).traffic).toMatchObject({ sent: 1, refused: 1 });
    expect(answers).toBe(2);
    expect(trap.connections()).toBe(0);
  });

  it('has no hole for WebRTC', async () => {
    const udp = createSocket('udp4');
    let packets = 0;
    udp.on('message', () => {
      packets += 1;
    });
    udp.bind(0, '127.0.0.1');
    await once(udp, 'listening');
    closing({ close: async () => udp.close() });
    const page = `<script>
      const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${udp.address().port}' }] });
      peer.createDataChannel('x');
      peer.onicegatheringstatechange = () => {
        if (peer.iceGatheringState === 'complete') document.body.insertAdjacentHTML('beforeend', '<p id="done"></p>');
      };
      peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    </script>`;
    const site = await startPages({ '/': `<body>${page}` });
    expect(codeOf(await load(await openBrowser(), site.url, { waitFor: '#done' }))).toBe('answer');
    expect(packets).toBe(0);
  });
});

const certificate = (name: string) => ({
  key: readFileSync(new URL(`../security/fixtures/${name}.key`, import.meta.url), 'utf8'),
  cert: readFileSync(new URL(`../security/fixtures/${name}.pem`, import.meta.url), 'utf8'),
});
const extraCa = [readFileSync(new URL('../security/fixtures/root.pem', import.meta.url), 'utf8')];

async function startHttps(name: string, listener: RequestListener): Promise<string> {
  const server = createHttpsServer(certificate(name), listener);
  // An echo for WebSockets: the handshake is answered, then one text frame is sent back as it came, unmasked.
  server.on('upgrade', (request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept(request.headers['sec-websocket-key'] ?? '')}\r\n\r\n`,
    );
    socket.write(Buffer.from([0x81, 5, ...Buffer.from('hello')]));
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing({
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('https in Chromium', () => {
  it('is asked about by its full address, redirects of parts too', async () => {
    const seen: string[] = [];
    const origin = await startHttps('good', (request, response) => {
      seen.push(request.url ?? '');
      if (request.url === '/redirect') response.writeHead(302, { location: '/private/x?y=1' }).end();
      else {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end('<h1>safe</h1><script>fetch("/redirect").catch(() => { document.body.id = "failed" })</script>');
      }
    });
    const browser = await openBrowser({ extraCa });
    const { admit, asked } = recordingAdmit(({ pathname }) => pathname.startsWith('/private/'));
    const result = await load(browser, `${origin}/`, { admit, waitFor: '#failed' });
    expect(text(result)).toContain('<h1>safe</h1>');
    expect(answer(result).remoteAddress).toBe('127.0.0.1');
    expect(asked.map(({ kind, url }) => [kind, url])).toEqual([
      ['document', `${origin}/`],
      ['part', `${origin}/redirect`],
      ['part', `${origin}/private/x?y=1`],
    ]);
    expect(seen).toEqual(['/', '/redirect']);
  });

  it('carries WebSockets', async () => {
    const page = `<script>new WebSocket(location.href.replace('https', 'wss')).onmessage = ({ data }) =>
      document.body.insertAdjacentHTML('beforeend', '<p id="said">' + data + '</p>')</script>`;
    const origin = await startHttps('good', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<body>${page}`);
    });
    const browser = await openBrowser({ extraCa });
    expect(text(await load(browser, `${origin}/`, { waitFor: '#said' }))).toContain('<p id="said">hello</p>');
  });

  it.each(['expired', 'wrong-host'])('is not spoken with a certificate that is not good (%s)', async (name) => {
    const origin = await startHttps(name, (_request, response) => response.end('secret'));
    const browser = await openBrowser({ extraCa });
    const result = await load(browser, `${origin}/`);
    expect(codeOf(result)).toBe('tls');
    if (result.kind !== 'failure') return;
    const context = { now: 0, conditional: false, retryAfter: () => undefined };
    expect(classifyBrowser(result, context)).toMatchObject({ kind: 'site_wide', failure: 'tls' });
  });
});

describe('a proxy behind Chromium', () => {
  const through = (url: string) => async () => letThrough(undefined, parseProxy(url));

  it.each([
    ['http', httpProxy],
    ['socks5', socksProxy],
  ])('is used for the page and its parts (%s)', async (_scheme, startProxy) => {
    const proxy = closing(await startProxy({ credentials: { user: 'u', password: 'p' } }));
    const site = await startPages({ '/': '<script src="/x.js"></script>by proxy', '/x.js': '' });
    const result = await load(await sharedBrowser(), site.url, { admit: through(proxy.url), session: 'proxied' });
    expect(text(result)).toContain('by proxy');
    expect(answer(result).remoteAddress).toBeUndefined();
    expect(new Set(proxy.targets)).toEqual(new Set([new URL(site.url).host]));
    expect(site.log.entries.map(({ path }) => path)).toEqual(['/', '/x.js']);
  });

  it('that wants another password is the proxy’s failure', async () => {
    const proxy = closing(await httpProxy({ credentials: { user: 'u', password: 'p' } }));
    const site = await startSite(() => reply(200, 'here')).then(closing);
    const wrong = proxy.url.replace('u:p', 'u:q');
    expect(codeOf(await load(await sharedBrowser(), site.url, { admit: through(wrong) }))).toBe('proxy_auth');
  });
});

function accept(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}
