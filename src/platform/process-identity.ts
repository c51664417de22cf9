// Tells processes apart even when the system uses a process id again: a process is its id, when it began, and its machine.

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCodeOf } from './errors.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** The kernel's start time of the process, in its own ticks; empty where the system does not tell. */
  readonly began: string;
  readonly machine: string;
}

export function thisProcess(): ProcessIdentity {
  return identityOf(process.pid);
}

/** The process of this machine that has that id now. */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, began: beginningOf(pid), machine: hostname() };
}

/** `elsewhere`: it runs on another machine, so that this one cannot know. */
export function lookUpProcess(identity: ProcessIdentity): 'alive' | 'dead' | 'elsewhere' {
  if (identity.machine !== hostname()) return 'elsewhere';
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if (systemCodeOf(error) === 'ESRCH') return 'dead';
  }
  return identity.began === beginningOf(identity.pid) ? 'alive' : 'dead';
}

function beginningOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // proc(5): the name is in parentheses and may contain anything; start time is field 22, state field 3.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'gone' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
