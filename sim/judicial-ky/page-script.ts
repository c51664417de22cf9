// The script of the page, without any outside resource. It shows the table a page at a time, as DataTables 2 does: rows
// of other pages are not in the document. A click on a button posts the AJAX request and opens the address it gives.

export const PAGE_SCRIPT = `
(() => {
  const table = document.querySelector('#judgment-registers');
  if (table === null) return;
  const body = table.tBodies[0];
  const all = [...body.rows];
  const message = document.querySelector('#dl-message');
  const settings = window.bfile;
  let found = all;
  let page = 0;
  let length = 25;

  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const sizes = [10, 25, 50, 100, -1].map((size) => element('option', { value: size }, size === -1 ? 'All' : String(size)));
  const select = element('select', { class: 'dt-input', 'aria-controls': table.id }, ...sizes);
  select.value = String(length);
  const search = element('input', { class: 'dt-input', type: 'search', 'aria-controls': table.id });
  const info = element('div', { class: 'dt-info', role: 'status' });
  const paging = element('nav', { 'aria-label': 'pagination' });
  const container = element('div', { id: table.id + '_wrapper', class: 'dt-container' });
  table.replaceWith(container);
  container.append(
    element('div', { class: 'dt-length' }, element('label', {}, select, ' entries per page')),
    element('div', { class: 'dt-search' }, element('label', {}, 'Search: ', search)),
    table,
    info,
    element('div', { class: 'dt-paging' }, paging),
  );
  table.classList.add('dataTable');

  const pages = () => (length === -1 ? 1 : Math.max(1, Math.ceil(found.length / length)));
  const button = (label, index, target, isOff) => {
    const made = element('button', {
      class: ['dt-paging-button', typeof index === 'string' ? index : '', target === page && typeof index === 'number' ? 'current' : '', isOff ? 'disabled' : ''].filter(Boolean).join(' '),
      type: 'button', role: 'link', 'data-dt-idx': index, 'aria-controls': table.id,
    }, label);
    if (isOff) made.setAttribute('aria-disabled', 'true');
    if (target === page && typeof index === 'number') made.setAttribute('aria-current', 'page');
    if (!isOff) made.addEventListener('click', () => { page = target; draw(); });
    return made;
  };
  const draw = () => {
    const last = pages() - 1;
    page = Math.min(page, last);
    const from = length === -1 ? 0 : page * length;
    const shown = length === -1 ? found : found.slice(from, from + length);
    body.replaceChildren(...shown);
    const count = (n) => n.toLocaleString('en-US');
    const filtered = found.length === all.length ? '' : ' (filtered from ' + count(all.length) + ' total entries)';
    info.textContent = 'Showing ' + count(shown.length === 0 ? 0 : from + 1) + ' to ' + count(from + shown.length) + ' of ' + count(found.length) + ' entries' + filtered;
    const near = [0, page - 1, page, page + 1, last].filter((n, at, list) => n >= 0 && n <= last && list.indexOf(n) === at);
    paging.replaceChildren(
      button('\\u00ab', 'first', 0, page === 0),
      button('\\u2039', 'previous', page - 1, page === 0),
      ...near.flatMap((n, at) => [...(at > 0 && n > near[at - 1] + 1 ? [element('span', { class: 'ellipsis' }, '\\u2026')] : []), button(String(n + 1), n, n, false)]),
      button('\\u203a', 'next', page + 1, page === last),
      button('\\u00bb', 'last', last, page === last),
    );
  };
  select.addEventListener('change', () => { length = Number(select.value); page = 0; draw(); });
  search.addEventListener('input', () => {
    const wanted = search.value.toLowerCase();
    found = all.filter((row) => row.textContent.toLowerCase().includes(wanted));
    page = 0;
    draw();
  });
  draw();

  table.addEventListener('click', async (event) => {
    const clicked = event.target.closest('button[data-dl]');
    if (clicked === null) return;
    message.textContent = '';
    clicked.disabled = true;
    try {
      const form = { action: 'dl_bfile', fid: clicked.dataset.fid, fname: clicked.dataset.dl, security: settings.ajax_nonce ?? settings.security ?? settings._nonce ?? '' };
      const response = await fetch(settings.ajax_url, { method: 'POST', headers: { 'X-Requested-With': 'XMLHttpRequest' }, body: new URLSearchParams(form) });
      const answer = await response.json();
      if (answer.success !== true) throw new Error('refused');
      location.assign(new URL(answer.data.fid));
    } catch {
      message.textContent = 'The file could not be downloaded. Please try again.';
    } finally {
      clicked.disabled = false;
    }
  });
})();
`;
