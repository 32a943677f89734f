/**
 * The files of the console: one empty page, and what it loads under names that say their content.
 * They are read once, and kept packed as browsers take them; nothing of a tenant stands in them.
 */
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { DomainError } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { openedOnce } from '#platform/openedOnce';
import type { HttpReply, HttpRequest } from '../../../api/http/port.ts';
import { markupFreePolicy, workPageHeaders } from '../../../api/pageHeaders.ts';
import type { PublicPage } from '../../../api/ports.ts';

const FOLDER = new URL('../../../../packages/console/built/', import.meta.url);

const SAFE = workPageHeaders(
  markupFreePolicy({
    'font-src': "'self'",
    'form-action': "'self'",
    'manifest-src': "'self'",
  }),
  ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'],
);

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

interface PackedFile {
  readonly contentType: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

interface Site {
  readonly page: PackedFile;
  readonly assets: ReadonlyMap<string, PackedFile>;
}

/** `/console` and what it loads. */
export function filePages(): readonly PublicPage[] {
  const site = openedOnce(open);
  const page: PublicPage['reply'] = async ({ request }) =>
    replyOf((await site()).page, request, 'no-cache');
  return [
    { path: '/console', reply: page },
    { path: '/console/', reply: page },
    {
      path: '/console/assets/{asset}',
      async reply({ params, request }) {
        const asset = (await site()).assets.get(params.asset ?? '');
        if (asset === undefined) throw new DomainError('route-unknown');
        return replyOf(asset, request, 'public, max-age=31536000, immutable');
      },
    },
  ];
}

function replyOf(file: PackedFile, request: HttpRequest, caching: string): HttpReply {
  const headers = [
    ['etag', file.etag],
    ['cache-control', caching],
    ['vary', 'accept-encoding'],
    ...SAFE,
  ] as const;
  const known = request
    .header('if-none-match')
    ?.split(',')
    .map((tag) => tag.trim());
  if (known?.includes(file.etag)) return { body: '', headers, status: 304 };
  const coding = codingOf(request.header('accept-encoding') ?? '');
  const own = [
    ['content-type', file.contentType],
    ...(coding === 'plain' ? [] : ([['content-encoding', coding]] as const)),
  ] as const;
  return { body: file[coding], headers: [...own, ...headers], status: 200 };
}

/** The smallest that the caller takes. */
function codingOf(accepted: string): 'br' | 'gzip' | 'plain' {
  const taken = accepted
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => !/; ?q=0(\.0{1,3})?$/.test(one))
    .map((one) => one.split(';')[0]);
  if (taken.includes('br')) return 'br';
  return taken.includes('gzip') ? 'gzip' : 'plain';
}

async function open(): Promise<Site> {
  const names = await readdir(FOLDER);
  const files = names.map(async (name) => {
    const contentType = TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    return [name, await packed(contentType, await readFile(new URL(name, FOLDER)))] as const;
  });
  const assets = new Map(await Promise.all(files));
  const html = htmlOf(requireName(names, 'js'), requireName(names, 'css'));
  return { assets, page: await packed('text/html; charset=utf-8', Buffer.from(html)) };
}

/** The entry of its kind: `console-<digest>.js`. */
function requireName(names: readonly string[], kind: string): string {
  const name = names.find((one) => one.startsWith('console-') && one.endsWith(`.${kind}`));
  if (name !== undefined) return name;
  throw new DomainError('internal', { detail: `packages/console/built has no console-….${kind}` });
}

async function packed(contentType: string, plain: Buffer): Promise<PackedFile> {
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(plain),
    promisify(gzip)(plain),
  ]);
  return { br, contentType, etag: `"${sha256Hex(plain).slice(0, 32)}"`, gzip: zipped, plain };
}

const htmlOf = (script: string, style: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/assets/${style}">
<script type="module" src="/console/assets/${script}"></script>
<div id="console"></div>
<noscript>Please enable JavaScript. – Activez JavaScript. – يرجى تفعيل جافا سكريبت.</noscript>
</html>
`;
