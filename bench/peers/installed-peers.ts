// The peers that can be run here. What is missing is said, with how to install it.

import { type Contender, missing } from '../throughput/contender.ts';

const PEERS: readonly Contender[] = ['crawlee', 'scrapy'];

export async function installedPeers(python: string): Promise<Contender[]> {
  const installed: Contender[] = [];
  for (const peer of PEERS) {
    const remedy = await missing(peer, python);
    if (remedy === undefined) installed.push(peer);
    else process.stderr.write(`${peer} is skipped, it is not installed: ${remedy}\n`);
  }
  return installed;
}
