// What is wrong with a run, as sentences for its banner, each once. The error of a run may also stand among the warnings of
// its summary, alone or within a longer sentence: then only the longer one is shown.

interface TroubleFacts {
  /** Why it counts as killed; undefined when it does not. */
  readonly killed: string | undefined;
  readonly error: string | null;
  readonly warnings: readonly string[];
}

export function troubleSentences({ killed, error, warnings }: TroubleFacts): string[] {
  const said = [
    ...(killed === undefined ? [] : [`${sentence(capital(killed))} Nothing is lost: resume it.`]),
    ...(error === null ? [] : [sentence(error)]),
    ...warnings.map(sentence),
  ];
  const unique = [...new Set(said)];
  return unique.filter((text) => !unique.some((other) => other !== text && other.includes(bare(text))));
}

/** Without what differs where the same is said within another sentence. */
function bare(text: string): string {
  return text.replace(/[.!?]+$/, '');
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
