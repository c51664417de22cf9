import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { closedSockets, systemSockets } from './sockets.ts';

describe('systemSockets', () => {
  it('resolves a name to addresses with their family', async () => {
    const addresses = await systemSockets.resolve('localhost');
    expect(addresses.length).toBeGreaterThan(0);
    for (const { address, family } of addresses) expect(address.includes(':') ? 6 : 4).toBe(family);
  });

  it('rejects a name that cannot exist', async () => {
    await expect(systemSockets.resolve('no-such-host.invalid')).rejects.toThrow();
  });

  it('tries the addresses it was given until one answers, and no other', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const here = { address: '127.0.0.1', family: 4 } as const;
    for (const addresses of [[here], [{ address: '::1', family: 6 } as const, here]]) {
      const socket = systemSockets.connect(addresses, port);
      await once(socket, 'connect');
      expect(socket.remoteAddress).toBe('127.0.0.1');
      socket.destroy();
    }
    server.close();
  });

  it('refuses to connect to nothing', () => {
    expect(() => systemSockets.connect([], 80)).toThrowError(expect.objectContaining({ code: 'internal' }));
  });
});

describe('closedSockets', () => {
  it('neither resolves nor connects', async () => {
    await expect(closedSockets.resolve('court.example')).rejects.toMatchObject({ code: 'network_closed' });
    expect(() => closedSockets.connect([{ address: '1.1.1.1', family: 4 }], 80)).toThrowError(
      expect.objectContaining({ code: 'network_closed' }),
    );
  });
});
