/** Search of the guide, in the browser: the index is fetched when somebody begins to type. */
import MiniSearch from './minisearch.js';
import { INDEX } from './words.js';

const SHOWN = 20;
const input = document.querySelector('#search');
const found = document.querySelector('#found');
let loading;

function load() {
  loading ??= fetch(input.dataset.index)
    .then((answer) => {
      if (!answer.ok) throw new Error(`the index: HTTP ${answer.status}`);
      return answer.text();
    })
    .then((text) => MiniSearch.loadJSON(text, INDEX))
    .catch((error) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function row({ heading, title, url }) {
  const item = make('li', '');
  const text = heading === '' || heading === title ? title : `${title}: ${heading}`;
  item.append(make('a', text, { href: url }));
  return item;
}

async function show() {
  const typed = input.value.trim();
  found.hidden = typed === '';
  if (typed === '') return found.replaceChildren();
  const index = await load();
  // Something else was typed meanwhile.
  if (input.value.trim() !== typed) return undefined;
  const boost = { heading: 2, title: 3 };
  const hits = index.search(typed, { boost, combineWith: 'AND', fuzzy: 0.2, prefix: true });
  const list = make('ul', '');
  list.append(...hits.slice(0, SHOWN).map(row));
  const told = hits.length === 0 ? found.dataset.none : `${found.dataset.some}: ${hits.length}`;
  return found.replaceChildren(make('p', told, { role: 'status' }), list);
}

input.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape' && !found.hidden) {
    input.value = '';
    show();
    input.focus();
  }
});
