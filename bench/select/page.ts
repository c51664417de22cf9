// The page that bench/select queries: a docket of about 51 KB, as courts publish them, always the same.

/** A docket page with navigation, a table of cases with nested markup, and a footer. */
export function docketPage(): string {
  const rows = Array.from({ length: 123 }, (_, index) => caseRow(index + 1)).join('\n');
  const nav = Array.from({ length: 12 }, (_, index) => `<li><a href="/court/${index}">Court ${index}</a></li>`).join(
    '',
  );
  return `<!DOCTYPE html><html lang="en"><head><title>Docket</title><meta charset="utf-8"></head><body class="docket">
<div id="header" class="box"><h1>Civil docket</h1><ul class="nav">${nav}</ul></div>
<div id="main" class="box"><div class="intro box"><p>Open cases of the <em>Grand Court</em>.</p><p class="note">Updated daily.</p></div>
<form action="/search"><input type="hidden" name="token" value="x"><input type="text" name="q"><select name="year">
<option value="2023">2023</option><option value="2024" selected>2024</option></select></form>
<table id="cases" class="cases"><thead><tr><th>Number</th><th>Title</th><th>Filed</th><th>Judge</th><th>Papers</th></tr></thead><tbody>
${rows}
</tbody></table><div class="pager"><a href="?page=1">1</a><a href="?page=2" rel="next" id="next">Next</a></div></div>
<div id="footer"><p>Questions? <a href="/contact">Contact</a> the registry.</p></div></body></html>`;
}

function caseRow(number: number): string {
  const parity = number % 2 === 0 ? 'even' : 'odd';
  const sealed = number % 15 === 0 ? ' sealed' : '';
  const filed = `2024-${String(1 + (number % 12)).padStart(2, '0')}-15`;
  return `<tr class="case ${parity}${sealed}" id="case-${number}"><td class="number"><a href="/case/${number}">CV-${number}</a></td>
<td class="title">Party ${number} <i>v.</i> Party ${number + 1}<!-- row ${number} --></td><td><time datetime="${filed}">${filed}</time></td>
<td class="judge">Hon. Justice ${number % 7}</td><td><ul class="papers"><li><a class="pdf" href="/p/${number}/1.pdf">Claim</a></li>
<li><a class="pdf" href="/p/${number}/2.pdf">Order</a></li><li>${number % 3} more</li></ul></td></tr>`;
}
