// Opens the client that was asked for. It is loaded when it is wanted.

import type { ClientContext, JudicialClient } from '../source.ts';
import type { JudicialAddresses } from './http-client.ts';

export async function openClient(context: ClientContext): Promise<JudicialClient> {
  const { baseUrl } = context.config;
  const addresses: JudicialAddresses = {
    page: new URL('/judgments/unreported-judgments/', baseUrl).href,
    ajax: new URL('/wp-admin/admin-ajax.php', baseUrl).href,
  };
  if (context.kind === 'http') {
    const { HttpJudicialClient } = await import('./http-client.ts');
    return new HttpJudicialClient(context, addresses);
  }
  const { BrowserJudicialClient } = await import('./browser-client.ts');
  return BrowserJudicialClient.open(context, addresses);
}
