// Runs the demo on a terminal of 80 columns and draws what is on the screen at its end: docs/images/demo.svg, which the
// README shows. Needs script(1) of util-linux.   npx node scripts/demo-picture.ts

import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const COLUMNS = 80;
const CELL = { width: 8.4, height: 18 };
const PADDING = 16;
const COLOURS: Readonly<Record<number, string>> = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 34: '#79c0ff' };

interface Style {
  readonly colour: string;
  readonly bold: boolean;
  readonly dim: boolean;
}

interface Span extends Style {
  readonly text: string;
}

const PLAIN: Style = { colour: '#e6edf3', bold: false, dim: false };

/** SGR codes as far as Curlew uses them. */
function restyle(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  return { ...style, colour: COLOURS[code] ?? PLAIN.colour };
}

/** What a terminal shows after all that was written to it, as far as Curlew moves about: up, and erase from there. */
function screenOf(written: string): Span[][] {
  const lines: Span[][] = [[]];
  let style = PLAIN;
  for (const [token, up, erase, sgr] of written.matchAll(/\x1b\[(\d+)F|(\x1b\[J)|\x1b\[(\d+)m|\r|\n|[^\x1b\r\n]+/g)) {
    if (up !== undefined) lines.length = Math.max(1, lines.length - Number(up));
    else if (erase !== undefined) lines[lines.length - 1] = [];
    else if (sgr !== undefined) style = restyle(style, Number(sgr));
    else if (token === '\n') lines.push([]);
    else if (token !== '\r') lines.at(-1)?.push({ ...style, text: token });
  }
  return lines;
}

function draw(lines: readonly (readonly Span[])[]): string {
  const width = COLUMNS * CELL.width + 2 * PADDING;
  const height = lines.length * CELL.height + 2 * PADDING;
  const rows = lines.map((line, row) => {
    const y = PADDING + (row + 0.75) * CELL.height;
    return `<text x="${PADDING}" y="${y}">${line.map(drawSpan).join('')}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img">
<title>Curlew mirrors a simulated court, is killed in the middle, goes on, and has lost nothing</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${rows.join('\n')}
</g>
</svg>
`;
}

function drawSpan({ text, colour, bold, dim }: Span): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(' ', '\u00a0');
  return `<tspan fill="${colour}"${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity="0.5"' : ''}>${escaped}</tspan>`;
}

const home = fileURLToPath(new URL('..', import.meta.url));
const command = `stty cols ${COLUMNS} rows 50; '${process.execPath}' bin/curlew.js demo`;
const { stdout, status } = spawnSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
  cwd: home,
  encoding: 'utf8',
  env: { ...process.env, TERM: 'xterm-256color', NO_COLOR: undefined },
});
if (status !== 0) throw new Error(`The demo failed:\n${stdout}`);
const prompt: Span[] = [
  { ...PLAIN, colour: '#7ee787', text: '$ ' },
  { ...PLAIN, text: 'npm run demo' },
];
writeFileSync(new URL('../docs/images/demo.svg', import.meta.url), draw([prompt, ...screenOf(stdout.trimEnd())]));
const data = /The data lies in (curlew-data\/demo\S*):/.exec(stdout)?.[1];
if (data !== undefined) rmSync(new URL(`../${data}`, import.meta.url), { recursive: true });
