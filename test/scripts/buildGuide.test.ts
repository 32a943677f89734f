/** dist/guide/: what links lead to, what both languages share, and what the search finds. */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const site = mkdtempSync(join(tmpdir(), 'guide-'));
const read = (path: string): string => readFileSync(join(site, path), 'utf8');
let pages: readonly string[] = [];

interface Builder {
  readonly GUIDE_PAGES: readonly string[];
  readonly buildGuide: (root: string, target: string) => Promise<void>;
  readonly guideSources: (root: string) => readonly string[];
}
const load = async <Module>(path: string): Promise<Module> =>
  (await import(pathToFileURL(join(ROOT, path)).href)) as Module;
const { buildGuide, GUIDE_PAGES, guideSources } = await load<Builder>('scripts/buildGuide.mjs');
const { INDEX } = await load<{ INDEX: object }>('scripts/guide/words.js');

beforeAll(async () => {
  await buildGuide(ROOT, site);
  pages = globSync('**/*.html', { cwd: site }).sort();
});
afterAll(() => rmSync(site, { recursive: true }));

const fileOf = (url: string): string => {
  const path = url.replace('/docs/guide/', '');
  return path.startsWith('assets/') ? path : `${path}.html`;
};

test('every page of docs is one of the site', () => {
  const sources = guideSources(ROOT).filter((path) => path.endsWith('.md'));
  expect(pages).toHaveLength(sources.length);
  for (const path of sources) {
    expect(pages.map((page) => basename(page, '.html'))).toContain(basename(path, '.md'));
  }
});

test('every link leads to a page, and to a heading of it', () => {
  const ids = new Map(
    pages.map((page) => [
      page,
      new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  const lost = pages.flatMap((page) =>
    [...read(page).matchAll(/(?:href|src)="([^"]+)"/g)].flatMap(([, href = '']) => {
      if (!/^(\/docs\/guide\/|#)/.test(href)) return [];
      const [url = '', anchor] = href.split('#');
      const file = url === '' ? page : fileOf(url);
      if (file.startsWith('assets/')) return globSync(file, { cwd: site }).length ? [] : [href];
      const known = ids.get(file);
      const isThere = known !== undefined && (anchor === undefined || known.has(anchor));
      return isThere ? [] : [`${page}: ${href}`];
    }),
  );
  expect(lost).toEqual([]);
});

test('nothing is asked of another host, and nothing stands inline', () => {
  for (const page of pages) {
    const html = read(page);
    expect(html, page).not.toMatch(/<(script|link|img)[^>]+(src|href)="(https?:)?\/\//);
    expect(html, page).not.toMatch(/<script(?![^>]* src=)|<style|style="|\son[a-z]+="/);
  }
});

describe('both languages', () => {
  const sourceOf = (language: string, page: string): string =>
    readFileSync(join(ROOT, 'docs/guide', language, `${page}.md`), 'utf8');
  const partsOf = (text: string) => ({
    code: [...text.matchAll(/^```.*?^```$/gms)].map(([block]) => block),
    headings: [...text.matchAll(/^(#+) /gm)].map(([, level]) => level),
    links: [...text.matchAll(/\]\(([^)#]+)/g)].map(([, link]) => link).sort(),
    rows: text.split('\n').filter((line) => line.startsWith('|')).length,
  });

  test.each(['index', ...GUIDE_PAGES])('%s has the same parts, examples and links', (page) => {
    expect(partsOf(sourceOf('fr', page))).toEqual(partsOf(sourceOf('en', page)));
  });

  test('each page leads to its twin', () => {
    for (const page of GUIDE_PAGES) {
      expect(read(`en/${page}.html`)).toContain(`href="/docs/guide/fr/${page}" hreflang="fr"`);
      expect(read(`fr/${page}.html`)).toMatch(/^<!doctype html>\n<html lang="fr">/);
    }
  });
});

describe('the search', () => {
  const search = (language: string, words: string): string[] =>
    MiniSearch.loadJSON(read(`assets/search-${language}.json`), INDEX as never)
      .search(words, { boost: { heading: 2, title: 3 }, combineWith: 'AND', prefix: true })
      .slice(0, 5)
      .map(({ url }) => url as string);

  test.each([
    ['en', 'idempotency', '/docs/guide/en/screening'],
    ['en', 'backup', '/docs/guide/en/operating'],
    ['en', 'ChainBroken', '/docs/guide/runbooks/ChainBroken'],
    ['en', 'batch attestation', '/docs/guide/reference/batch-evidence'],
    ['fr', 'sauvegarder', '/docs/guide/fr/operating'],
    ['fr', 'requete cle', '/docs/guide/fr/screening'],
    ['fr', 'ChainBroken', '/docs/guide/runbooks/ChainBroken'],
  ])('in %s finds %s', (language, words, page) => {
    expect(search(language, words).map((url) => url.split('#')[0])).toContain(page);
  });

  test('an index is small enough to be fetched while somebody types', () => {
    for (const language of ['en', 'fr']) {
      expect(read(`assets/search-${language}.json`).length).toBeLessThan(2_500_000);
    }
  });
});
