/**
 * The page that an onboarding link opens: an empty document, the SDK and its style sheet, each
 * under the name of its digest and bound to it. It is the same for every link, good or not: the
 * token stands in the fragment, which is sent to nobody, so whoever fetches it opens nothing.
 */
import { readFile } from 'node:fs/promises';
import { DomainError } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { openedOnce } from '#platform/openedOnce';
import type { HttpReply } from '../../../api/http/port.ts';
import { markupFreePolicy, workPageHeaders } from '../../../api/pageHeaders.ts';
import type { PublicPage } from '../../../api/ports.ts';

const FOLDER = new URL('../../../../packages/onboarding-sdk/', import.meta.url);
const DIGEST_CHARS = 16;

const SAFE = workPageHeaders(markupFreePolicy({ 'img-src': 'data:' }), [
  'camera',
  'geolocation',
  'microphone',
]);

interface Asset {
  readonly name: string;
  readonly body: Buffer;
  readonly contentType: string;
  /** For the attribute `integrity` of the page. */
  readonly integrity: string;
}

interface Site {
  readonly html: string;
  readonly assets: ReadonlyMap<string, Asset>;
}

/** `/o/` and what it loads. */
export function onboardingPages(): readonly PublicPage[] {
  const site = openedOnce(open);
  return [
    { path: '/o/', reply: async () => pageOf(await site()) },
    {
      path: '/o/{asset}',
      reply: async ({ params }) => assetOf(await site(), params.asset ?? ''),
    },
  ];
}

const pageOf = ({ html }: Site): HttpReply => ({
  body: html,
  headers: [['content-type', 'text/html; charset=utf-8'], ['cache-control', 'no-cache'], ...SAFE],
  status: 200,
});

/** A name says its content, so it is never asked for again. */
function assetOf({ assets }: Site, name: string): HttpReply {
  const asset = assets.get(name);
  if (asset === undefined) throw new DomainError('route-unknown');
  const { body, contentType } = asset;
  const headers = [
    ['content-type', contentType],
    ['cache-control', 'public, max-age=31536000, immutable'],
    ...SAFE,
  ] as const;
  return { body, headers, status: 200 };
}

async function open(): Promise<Site> {
  const [script, style] = await Promise.all([
    read('sdk', 'js', 'text/javascript; charset=utf-8'),
    read('sdk', 'css', 'text/css; charset=utf-8'),
  ]);
  return {
    assets: new Map([script, style].map((one) => [one.name, one])),
    html: htmlOf(script, style),
  };
}

async function read(name: string, kind: string, contentType: string): Promise<Asset> {
  const body = await readFile(new URL(`${name}.${kind}`, FOLDER));
  const digest = sha256Hex(body);
  return {
    body,
    contentType,
    integrity: `sha256-${Buffer.from(digest, 'hex').toString('base64')}`,
    name: `${name}-${digest.slice(0, DIGEST_CHARS)}.${kind}`,
  };
}

const htmlOf = (script: Asset, style: Asset): string => `<!doctype html>
<html lang="fr">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Onboarding</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/o/${style.name}" integrity="${style.integrity}">
<script type="module" src="/o/${script.name}" integrity="${script.integrity}"></script>
<main data-onboarding></main>
<noscript>Activez JavaScript. – يرجى تفعيل جافا سكريبت. – Please enable JavaScript.</noscript>
</html>
`;
