// Pages for crawls and benchmarks: about 2 KB, ten links, a title. Page n links to pages 10n+1 … 10n+10, modulo the
// number of pages: a tree that reaches every page from page 0, whose leaves lead back into it.

const LINKS = 10;
const FILLER = `<p>${'The docket is kept by the clerk and open to everyone during office hours. '.repeat(15).trim()}</p>`;

/** The pages that page `n` links to. */
export function graphLinks(n: number, pages: number): number[] {
  return Array.from({ length: LINKS }, (_, index) => (LINKS * n + index + 1) % pages);
}

export function graphPath(n: number): string {
  return `/graph/${n}`;
}

/** Pure ASCII, which the server writes together with the head: this is the hot path of the benchmarks. */
export function graphPage(n: number, pages: number): string {
  let links = '';
  for (const other of graphLinks(n, pages)) {
    links += `<li><a href="/graph/${other}" title="To page ${other}">Page ${other}</a></li>\n`;
  }
  return `<!doctype html>
<html>
<head><title>Page ${n}</title></head>
<body>
<h1>Page ${n}</h1>
<p class="number">${n}</p>
${FILLER}
<ul>
${links}</ul>
</body>
</html>
`;
}
