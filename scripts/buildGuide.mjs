/**
 * dist/guide/: the pages of /docs/guide, made of docs/guide/, docs/*.md and what these link to.
 *
 * Written once, when the product is built, so that a gateway only hands out files, and nothing is
 * asked of another host: one style sheet, one script, and one index of words for each language. A
 * page works without the script; the script searches.
 */
import * as fs from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { INDEX } from './guide/words.js';

/** Folders under docs/ by the part of the guide that shows them. */
const PARTS = {
  en: 'guide/en',
  fr: 'guide/fr',
  reference: '.',
  runbooks: 'runbooks',
  decisions: 'decisions',
};
const LANGUAGES = ['en', 'fr'];
/** In the order in which somebody needs them. */
export const GUIDE_PAGES = [
  'quick-start',
  'authentication',
  'screening',
  'batches',
  'webhooks',
  'evidence',
  'monitoring',
  'cases',
  'tax',
  'errors',
  'limits',
  'operating',
];
const OWN_FOLDER = 'scripts/guide';
const OWN = ['guide.css', 'guide.js', 'words.js'];
const WORDS = {
  en: {
    api: 'API reference',
    found: 'Results of the search',
    guide: 'Guide',
    none: 'Nothing was found.',
    other: 'Français',
    reference: 'More pages',
    search: 'Search',
    skip: 'Skip to the text',
    some: 'Found',
    title: 'Compliance platform',
  },
  fr: {
    api: 'Référence de l’API',
    found: 'Résultats de la recherche',
    guide: 'Guide',
    none: 'Aucun résultat.',
    other: 'English',
    reference: 'Autres pages (en anglais)',
    search: 'Rechercher',
    skip: 'Aller au texte',
    some: 'Trouvé',
    title: 'Plateforme de conformité',
  },
};

/** Writes the site into `target`, which is not there yet. */
export async function buildGuide(root, target) {
  const [{ default: MarkdownIt }, { default: MiniSearch }] = await Promise.all([
    import('markdown-it'),
    import('minisearch'),
  ]);
  const pages = readPages(root);
  const urls = new Map(pages.map((page) => [page.source, page.url]));
  const markdown = markdownOf(MarkdownIt, urls);
  for (const page of pages) Object.assign(page, readingOf(markdown, page));
  const write = (path, content) => {
    fs.mkdirSync(dirname(join(target, path)), { recursive: true });
    fs.writeFileSync(join(target, path), content);
  };
  for (const page of pages) write(`${page.part}/${page.name}.html`, htmlOf(page, pages));
  for (const language of LANGUAGES) {
    const index = new MiniSearch(INDEX);
    index.addAll(searched(pages, language));
    write(`assets/search-${language}.json`, JSON.stringify(index));
  }
  for (const name of OWN) write(`assets/${name}`, fs.readFileSync(join(root, OWN_FOLDER, name)));
  const minisearch = fileURLToPath(import.meta.resolve('minisearch'));
  write('assets/minisearch.js', fs.readFileSync(minisearch));
  for (const name of fs.readdirSync(join(root, 'docs/images'))) {
    write(`assets/${name}`, fs.readFileSync(join(root, 'docs/images', name)));
  }
}

/** Every file that the site is made of, by its path in the repository; none where there is none. */
export function guideSources(root) {
  if (!fs.existsSync(join(root, 'docs/guide'))) return [];
  const pages = Object.values(PARTS).flatMap((folder) =>
    fs.readdirSync(join(root, 'docs', folder)).flatMap((name) => {
      return name.endsWith('.md') ? [posix.join('docs', folder, name)] : [];
    }),
  );
  const own = OWN.map((name) => posix.join(OWN_FOLDER, name));
  return [...pages, 'scripts/buildGuide.mjs', ...own].sort();
}

function readPages(root) {
  const found = Object.entries(PARTS).flatMap(([part, folder]) =>
    fs
      .readdirSync(join(root, 'docs', folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((file) => {
        const source = posix.join('docs', folder, file);
        const name = basename(file, '.md');
        // Remarks for who edits the file.
        const text = fs.readFileSync(join(root, source), 'utf8').replace(/<!--.*?-->\n?/gs, '');
        return { name, part, source, text, url: `/docs/guide/${part}/${name}` };
      }),
  );
  for (const language of LANGUAGES) {
    const names = found.filter(({ part }) => part === language).map(({ name }) => name);
    const wanted = ['index', ...GUIDE_PAGES];
    const odd = [...new Set([...names, ...wanted])].filter(
      (name) => !names.includes(name) || !wanted.includes(name),
    );
    if (odd.length > 0) throw new Error(`docs/guide/${language}: expected ${wanted}, not ${odd}`);
  }
  return found;
}

// ── Markdown ────────────────────────────────────────────────────────────────────────────────────

function markdownOf(MarkdownIt, urls) {
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
  const { rules } = markdown.renderer;
  rules.link_open = (tokens, at, _, { page }) => {
    const href = hrefOf(urls, page, tokens[at].attrGet('href'));
    page.hrefs.push(href);
    // What lies in the repository and not in the guide is named, and leads nowhere.
    return href === undefined ? '<span>' : `<a href="${markdown.utils.escapeHtml(href)}">`;
  };
  // One does not stand in another, so it is the last.
  rules.link_close = (_tokens, _at, _options, { page }) =>
    page.hrefs.at(-1) === undefined ? '</span>' : '</a>';
  rules.image = (tokens, at) => {
    const { content } = tokens[at];
    const name = basename(tokens[at].attrGet('src') ?? '');
    return `<img src="/docs/guide/assets/${name}" alt="${markdown.utils.escapeHtml(content)}">`;
  };
  // A wide table scrolls by itself, and by keys.
  rules.table_open = () => '<div class="wide" tabindex="0"><table>';
  rules.table_close = () => '</table></div>';
  rules.fence = (tokens, at) =>
    `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[at].content)}</code></pre>\n`;
  rules.heading_open = (tokens, at) => `<${tokens[at].tag} id="${tokens[at].meta}">`;
  return markdown;
}

/** The address in the site; undefined where it is none of its pages. */
function hrefOf(urls, { source }, href) {
  if (/^https?:/.test(href) || href.startsWith('/') || href.startsWith('#')) return href;
  const [path, anchor] = href.split('#');
  const named = posix.join(dirname(source), path);
  if (named === 'docs/api.yaml') return '/docs';
  const url = urls.get(named);
  if (url === undefined) return undefined;
  return anchor === undefined ? url : `${url}#${anchor}`;
}

/** HTML of a page, its title, and its sections for the search. */
function readingOf(markdown, page) {
  const tokens = markdown.parse(page.text, {});
  const sections = [{ anchor: '', heading: '', text: '' }];
  const known = new Map();
  tokens.forEach((token, at) => {
    if (token.type === 'heading_open') {
      const heading = plainOf(tokens[at + 1]);
      const slug = slugOf(heading);
      const count = known.get(slug) ?? 0;
      known.set(slug, count + 1);
      token.meta = count === 0 ? slug : `${slug}-${count}`;
      sections.push({ anchor: token.meta, heading, text: '' });
    } else if (token.type === 'inline' || token.type === 'fence') {
      sections.at(-1).text += ` ${plainOf(token)}`;
    }
  });
  const told = { ...page, hrefs: [] };
  const body = markdown.renderer.render(tokens, markdown.options, { page: told });
  const title = sections[1]?.heading ?? page.name;
  return { body, sections, title };
}

const plainOf = (token) =>
  token.children === null || token.children.length === 0
    ? token.content
    : token.children.map(({ content }) => content).join('');

/** As links in the repository are spelt. */
const slugOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Pages of one language and those that there are in English alone; not why things are so. */
function searched(pages, language) {
  return pages
    .filter(({ part }) => part === language || ['reference', 'runbooks'].includes(part))
    .flatMap(({ sections, title, url }) =>
      sections
        .filter(({ heading, text }) => heading !== '' || text !== '')
        .map(({ anchor, heading, text }) => {
          const at = anchor === '' ? url : `${url}#${anchor}`;
          return { heading, id: at, text, title, url: at };
        }),
    );
}

// ── The page ────────────────────────────────────────────────────────────────────────────────────

function htmlOf(page, pages) {
  const language = page.part === 'fr' ? 'fr' : 'en';
  const words = WORDS[language];
  const other = language === 'fr' ? 'en' : 'fr';
  const twin = LANGUAGES.includes(page.part) ? page.name : 'index';
  const listed = (part, names) =>
    names
      .map((name) => pages.find((one) => one.part === part && one.name === name))
      .map(({ title, url }) => {
        const here = url === page.url ? ' aria-current="page"' : '';
        const lang = part === language ? '' : ' lang="en"';
        return `<li><a href="${url}"${here}${lang}>${escaped(title)}</a></li>`;
      })
      .join('\n');
  const reference = pages.filter(({ part }) => part === 'reference').map(({ name }) => name);
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)} – ${words.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/guide/assets/guide.css">
<script type="module" src="/docs/guide/assets/guide.js"></script>
<a class="skip" href="#text">${words.skip}</a>
<header>
<a class="home" href="/docs/guide/${language}/index">${words.title}</a>
<search><label for="search">${words.search}</label>
<input id="search" type="search" autocomplete="off" data-index="/docs/guide/assets/search-${language}.json"></search>
<a href="/docs">${words.api}</a>
<a href="/docs/guide/${other}/${twin}" hreflang="${other}" lang="${other}">${words.other}</a>
</header>
<div id="found" role="region" aria-label="${words.found}" data-none="${words.none}" data-some="${words.some}" hidden></div>
<nav aria-label="${words.guide}">
<h2>${words.guide}</h2>
<ul>${listed(language, GUIDE_PAGES)}</ul>
<details${page.part === 'reference' ? ' open' : ''}><summary>${words.reference}</summary>
<ul>${listed('reference', reference)}</ul></details>
</nav>
<main id="text" tabindex="-1"${LANGUAGES.includes(page.part) ? '' : ' lang="en"'}>
${page.body}</main>
</html>
`;
}

const escaped = (text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
