// What is waited for, as the API shows it: without secrets, and with its time in ISO 8601.

import type { HostWait } from '../../fetch/host-wait.ts';
import type { Waiting } from '../contract/hosts.ts';
import { cleanText } from '../http/clean.ts';
import { iso } from '../http/iso.ts';

export function tellWait({ host, until, reason }: HostWait): Waiting {
  return { host, until: iso(until), reason: cleanText(reason) };
}
