// A search field that waits until one has stopped typing.

import { useEffect, useRef, useState } from 'preact/hooks';

const PAUSE_MS = 250;

interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly search: (text: string) => void;
}

export function SearchBox({ label, value, placeholder, search }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (typed: string) => {
    setText(typed);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(typed.trim()), PAUSE_MS);
  };
  return (
    <label class="field search">
      <span class="field-label">{label}</span>
      <input
        type="search"
        value={text}
        placeholder={placeholder}
        maxLength={200}
        onInput={(event) => type(event.currentTarget.value)}
      />
    </label>
  );
}

export type ChoiceOption = readonly [value: string, label: string];

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly ChoiceOption[];
  readonly choose: (value: string) => void;
}

/** One of a few, to narrow a list. */
export function Choice({ label, value, options, choose }: ChoiceProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Choices that are called what they are. */
export function plainOptions(values: readonly string[]): ChoiceOption[] {
  return values.map((value) => [value, value.replaceAll('_', ' ')]);
}
