// One gate per host, whoever asks: so that what one request learns holds for all.

import { gateName } from './gate-name.ts';
import { HostGate } from './host-gate.ts';
import type { HostGateOptions } from './host-gate-options.ts';
import type { HostState } from './host-state.ts';
import type { HostWait } from './host-wait.ts';

export class HostGates {
  readonly #options: HostGateOptions;
  readonly #states: ReadonlyMap<string, HostState>;
  readonly #gates = new Map<string, HostGate>();
  readonly #changed = new Set<HostGate>();
  #onChange = () => {};

  /** `states` are those that an earlier process saved, by host. */
  constructor(options: HostGateOptions, states: ReadonlyMap<string, HostState>) {
    this.#options = options;
    this.#states = states;
  }

  /** `onChange` is told that there is something to save, again and again. */
  watch(onChange: () => void): void {
    this.#onChange = onChange;
  }

  of(url: URL): HostGate {
    const { origin } = url;
    const host = gateName(url);
    const known = this.#gates.get(host);
    if (known !== undefined) return known;
    const onChange = () => {
      this.#changed.add(gate);
      this.#onChange();
    };
    const gate: HostGate = new HostGate(host, origin, this.#options, this.#states.get(host), onChange);
    this.#gates.set(host, gate);
    return gate;
  }

  /** What is waited for, host by host. */
  waits(): HostWait[] {
    return [...this.#gates.values()].flatMap(({ wait }) => (wait === undefined ? [] : [wait]));
  }

  /** The states that changed since the last call, by host. */
  takeChanged(): ReadonlyMap<string, HostState> {
    const states = new Map([...this.#changed].map((gate) => [gate.host, gate.takeState()]));
    this.#changed.clear();
    return states;
  }
}
