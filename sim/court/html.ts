// The frame that all pages of the court share.

import { escapeHtml } from '../escape-html.ts';

/** A whole document. `title` is text, `content` is HTML. */
export function courtPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)} – Curlew County Court</title>
</head>
<body>
<header><a href="/">Curlew County Court</a> <nav><a href="/search">Search</a></nav></header>
<main>
${content}
</main>
<footer>A simulated court. Nothing here is real.</footer>
</body>
</html>
`;
}
