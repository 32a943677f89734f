/**
 * Writes docker/images.env: the images of compose.yaml with the digests that their registries give
 * for them today, so that a later build takes the very same. Where a registry is out of reach, or
 * gives no digest, nothing is written: a digest is never made up.
 *
 *   node docker/pinImages.mjs            # then: docker compose --env-file docker/images.env up -d
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const TIMEOUT_MS = 20_000;
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** Variables of the compose file that name an image, with what they are by default. */
export function imagesOf(compose) {
  const found = compose.matchAll(/\$\{([A-Z]+_IMAGE):-([^}@]+)\}/g);
  return new Map([...found].map(([, variable, image]) => [variable, image]));
}

/** `[<registry>/]<name>:<tag>`; without a registry it is Docker Hub's. */
export function placeOf(image) {
  const [first, ...rest] = image.split('/');
  const isHost = rest.length > 0 && /[.:]/.test(first);
  const host = isHost ? first : 'registry-1.docker.io';
  const path = isHost ? rest.join('/') : image;
  const [name = '', tag = 'latest'] = path.split(':');
  return { host, name: !isHost && !name.includes('/') ? `library/${name}` : name, tag };
}

/** Rejects where the registry does not answer with a digest. */
export async function digestOf(image, { origin = (host) => `https://${host}` } = {}) {
  const { host, name, tag } = placeOf(image);
  const url = `${origin(host)}/v2/${name}/manifests/${tag}`;
  const ask = (headers) =>
    fetch(url, { headers, method: 'HEAD', signal: AbortSignal.timeout(TIMEOUT_MS) });
  let response = await ask({ accept: MANIFESTS });
  if (response.status === 401) {
    const token = await tokenFor(response.headers.get('www-authenticate') ?? '');
    response = await ask({ accept: MANIFESTS, authorization: `Bearer ${token}` });
  }
  const digest = response.headers.get('docker-content-digest') ?? '';
  if (response.ok && DIGEST.test(digest)) return digest;
  throw new Error(`${image}: expected a digest, got status ${response.status}`);
}

/** Registries give a token to anybody, for images that anybody may have. */
async function tokenFor(challenge) {
  const told = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map((m) => m.slice(1)),
  );
  if (told.realm === undefined) throw new Error('the registry says not where its tokens are');
  const url = new URL(told.realm);
  for (const key of ['service', 'scope']) if (told[key]) url.searchParams.set(key, told[key]);
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { access_token, token = access_token } = await response.json();
  return token;
}

export async function pinImages({ compose, out, ...how }) {
  const lines = [];
  for (const [variable, image] of imagesOf(readFileSync(compose, 'utf8'))) {
    lines.push(`${variable}=${image}@${await digestOf(image, how)}`);
  }
  writeFileSync(`${out}.new`, `${lines.join('\n')}\n`);
  renameSync(`${out}.new`, out);
  return lines;
}

if (process.argv[1] === import.meta.filename) {
  try {
    const lines = await pinImages({
      compose: join(HERE, 'compose.yaml'),
      out: join(HERE, 'images.env'),
    });
    console.log(lines.join('\n'));
  } catch (error) {
    const cause = error.cause?.code ?? error.cause?.message;
    console.error(
      `nothing is written: ${error.message}${cause === undefined ? '' : ` (${cause})`}`,
    );
    process.exit(1);
  }
}
