/**
 * The pages around the API (decisions 7.3): the description as JSON and YAML, its rendering, one
 * page per problem, the public keys. No credential, nothing of a tenant, and no request to another
 * host: what a page needs comes from here, and its policy forbids the rest.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { codesOf, DomainError, type ErrorCode, type ProblemTable } from '#core/kernel';
import type { HttpReply } from './http/port.ts';
import type { JsonObject } from './openapiComponents.ts';
import { contentPolicy } from './pageHeaders.ts';
import type { PageRequest, PublicPage } from './ports.ts';

export interface PagesOptions {
  readonly description: JsonObject;
  readonly problems: ProblemTable;
  /** JWK set of the keys that evidence is signed with. */
  readonly publicKeys: () => Promise<object>;
}

export function publicPages(options: PagesOptions): PublicPage[] {
  const json = JSON.stringify(options.description);
  const yaml = stringify(options.description, { aliasDuplicateObjects: false, lineWidth: 0 });
  return [
    page('/openapi.json', 'application/vnd.oai.openapi+json;version=3.1', json),
    page('/openapi.yaml', 'application/vnd.oai.openapi;version=3.1', yaml),
    page('/docs', HTML, DOCS_PAGE),
    assetPage(),
    page('/problems', HTML, problemIndex(options.problems)),
    problemPage(options.problems),
    {
      path: '/.well-known/jwks.json',
      async reply({ request }) {
        const body = JSON.stringify(await options.publicKeys());
        return reply(request.header('if-none-match'), makeAsset('application/json', body));
      },
    },
  ];
}

export interface Asset {
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly etag: string;
}

/** Try-it-out talks to us; Swagger UI's icons are data: URLs; nothing else is let through. */
const POLICY = contentPolicy();

/** What a page answers, with the tag by which it is known again. */
export function makeAsset(contentType: string, body: string | Uint8Array): Asset {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 27);
  return { body, contentType, etag: `"${digest}"` };
}

export const HTML = 'text/html; charset=utf-8';

function page(path: string, contentType: string, body: string): PublicPage {
  const asset = makeAsset(contentType, body);
  return { path, reply: ({ request }) => reply(request.header('if-none-match'), asset) };
}

/** The asset, or 304 to who has it already. */
export function reply(
  ifNoneMatch: string | undefined,
  asset: Asset,
  policy: string = POLICY,
): HttpReply {
  const headers = [
    ['etag', asset.etag],
    // Requested again each time, and usually answered by 304.
    ['cache-control', 'no-cache'],
  ] as const;
  const known = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known?.includes(asset.etag) || known?.includes('*')) {
    return { body: '', headers, status: 304 };
  }
  const own = [
    ['content-type', asset.contentType],
    ['content-security-policy', policy],
    ['referrer-policy', 'no-referrer'],
  ] as const;
  return { body: asset.body, headers: [...own, ...headers], status: 200 };
}

const DOCS_PAGE = htmlPage(
  'API',
  `<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png">
<p><a href="/docs/guide">Guide</a></p>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>`,
);

/**
 * `validatorUrl`: the badge would send the description to another host. A form keeps the key that
 * stands in it, and a second send would be answered by the first: so each send gets one of its own,
 * from random bytes, since `randomUUID` is there on HTTPS and loopback alone.
 */
const START_SCRIPT = `const KEY = 'idempotency-key';

function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

window.addEventListener('load', () => {
  SwaggerUIBundle({
    deepLinking: true,
    displayOperationId: true,
    dom_id: '#swagger-ui',
    filter: true,
    layout: 'BaseLayout',
    persistAuthorization: false,
    presets: [SwaggerUIBundle.presets.apis],
    requestInterceptor: (request) => {
      const { headers = {} } = request;
      const name = Object.keys(headers).find((one) => one.toLowerCase() === KEY);
      if (name !== undefined) headers[name] = freshKey();
      return request;
    },
    url: '/openapi.json',
    validatorUrl: null,
  });
});
`;

const ASSET_TYPES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

/** Read when first asked for: most processes never serve them. */
function assetPage(): PublicPage {
  const start = makeAsset('text/javascript; charset=utf-8', START_SCRIPT);
  const loaded = new Map<string, Promise<Asset>>([['start.js', Promise.resolve(start)]]);
  return {
    path: '/docs/{asset}',
    async reply({ params, request }) {
      const name = params.asset ?? '';
      const contentType = ASSET_TYPES.get(name);
      let asset = loaded.get(name);
      if (asset === undefined && contentType !== undefined) {
        asset = loadAsset(name, contentType);
        loaded.set(name, asset);
        // A failure is not kept: the next request reads again.
        asset.catch(() => loaded.delete(name));
      }
      if (asset === undefined) throw new DomainError('route-unknown');
      return reply(request.header('if-none-match'), await asset);
    },
  };
}

async function loadAsset(name: string, contentType: string): Promise<Asset> {
  const path = fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
  return makeAsset(contentType, await readFile(path));
}

function problemPage(problems: ProblemTable): PublicPage {
  const pages = new Map(
    codesOf(problems).map((code) => [code as string, makeAsset(HTML, problemHtml(problems, code))]),
  );
  return {
    path: '/problems/{slug}',
    reply({ params, request }: PageRequest) {
      const asset = pages.get(params.slug ?? '');
      if (asset === undefined) throw new DomainError('route-unknown');
      return reply(request.header('if-none-match'), asset);
    },
  };
}

function problemHtml(problems: ProblemTable, code: ErrorCode): string {
  const { meaning, remedy, status, title } = problems[code];
  return htmlPage(
    title,
    `<h1>${escapeHtml(title)}</h1>
<p><code>${code}</code>, HTTP ${status}</p>
<p>${escapeHtml(meaning)}</p>
<p>${escapeHtml(remedy)}</p>
<p><a href="/problems">All problems</a></p>`,
  );
}

function problemIndex(problems: ProblemTable): string {
  const rows = codesOf(problems).map((code) => {
    const { meaning, status } = problems[code];
    const link = `<a href="/problems/${code}"><code>${code}</code></a>`;
    return `<li>${link} ${status}: ${escapeHtml(meaning)}</li>`;
  });
  return htmlPage('Problems', `<h1>Problems</h1>\n<ul>\n${rows.join('\n')}\n</ul>`);
}

function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
${body}
</html>
`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
