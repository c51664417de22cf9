import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../../platform/fake-clock.ts';
import { EventStream } from './event-stream.ts';

it('a stream beats when nothing else is said, and ends with its connection', async () => {
  const clock = new FakeClock();
  const opened = Promise.withResolvers<EventStream>();
  const server = createServer((_request, response) => opened.resolve(new EventStream(response, clock, {}))).listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const call = get({ port: (server.address() as AddressInfo).port });
  const [response] = await once(call, 'response');
  let heard = '';
  response.setEncoding('utf8').on('data', (text: string) => (heard += text));
  const stream = await opened.promise;
  const hears = async (text: string) => {
    while (!heard.includes(text)) await once(response, 'data');
  };

  await clock.advance(10_000);
  stream.send('event', '{"n":1}', 7);
  await hears('id: 7\nevent: event\ndata: {"n":1}\n\n');
  await clock.advance(14_999);
  expect(heard).not.toContain('heartbeat');
  await clock.advance(1);
  await hears('event: heartbeat\ndata: {"now":"2026-01-01T00:00:25.000Z"}\n\n');
  await clock.advance(15_000);
  await hears('00:00:40');

  const gone = once(stream.gone, 'abort');
  call.destroy();
  await gone;
  expect(clock.waiting).toBe(0);
});
