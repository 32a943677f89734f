/**
 * The guide at /docs/guide, as the build has made it (buildGuide.mjs). No credential, nothing of a
 * tenant, and no request to another host. Names are those of files that were found: what is asked
 * for is never a path.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DomainError } from '#core/kernel';
import { markupFreePolicy } from './pageHeaders.ts';
import { type Asset, HTML, makeAsset, reply } from './pages.ts';
import type { PageRequest, PublicPage } from './ports.ts';

/** The built guide lies there for the source and for the build alike. */
const BUILT = fileURLToPath(new URL('../../dist/guide', import.meta.url));
const PARTS = ['assets', 'decisions', 'en', 'fr', 'reference', 'runbooks'];
const FIRST = ['en', 'index'] as const;

const POLICY = markupFreePolicy();

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.html', HTML],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.svg', 'image/svg+xml'],
]);

export function guidePages(folder: string = BUILT): readonly PublicPage[] {
  const site = new Site(folder);
  const answer = async ({ request }: PageRequest, part: string, name: string) =>
    reply(request.header('if-none-match'), await site.find(part, name), POLICY);
  return [
    { path: '/docs/guide', reply: (asked) => answer(asked, ...FIRST) },
    ...PARTS.map(
      (part): PublicPage => ({
        path: `/docs/guide/${part}/{name}`,
        reply: (asked) => answer(asked, part, asked.params.name ?? ''),
      }),
    ),
  ];
}

/** Files of the site, each read when it is first asked for. */
class Site {
  readonly #folder: string;
  readonly #names = new Map<string, Promise<ReadonlySet<string>>>();
  readonly #assets = new Map<string, Promise<Asset>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Rejects with `route-unknown` where there is no such page, and where no guide was built. */
  async find(part: string, name: string): Promise<Asset> {
    const file = part === 'assets' ? name : `${name}.html`;
    const contentType = TYPES.get(extname(file));
    const names = await kept(this.#names, part, () => namesIn(join(this.#folder, part)));
    if (contentType === undefined || !names.has(file)) throw new DomainError('route-unknown');
    const path = join(this.#folder, part, file);
    return kept(this.#assets, path, async () => makeAsset(contentType, await readFile(path)));
  }
}

/** A failure is not kept: the next request reads again. */
function kept<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await readdir(folder));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Set();
    throw error;
  }
}
