/**
 * What a publisher of FtM data states about its releases, in the two files beside its entities
 * (opensanctions.org/docs/bulk and faq/80):
 *
 *   index.json   {"version", "delta_url"?, "resources": [{"name", "url", "checksum", "size"}, …]};
 *                the checksum is the SHA-1 of the file
 *   delta_url    {"versions": {"<version>": "<address of what it changes>", …}}, the last releases
 *
 * A version is the time of its making and a few letters, so versions sort by time. A version that
 * changed nothing has no delta.
 */

export const ENTITIES_FILE = 'entities.ftm.json';
const VERSION = /^\d{14}-[a-z0-9]{1,16}$/;
const SHA1 = /^[0-9a-f]{40}$/;

export interface FtmRelease {
  readonly version: string;
  readonly file: { readonly url: URL; readonly bytes: number; readonly sha1: string };
  /** Absent: this publisher gives out whole files only. */
  readonly deltasUrl?: URL;
}

export interface FtmDelta {
  readonly version: string;
  readonly url: URL;
}

/** Where the index lies beside a file of entities; undefined for a file of another name. */
export function ftmIndexUrl(entities: URL): URL | undefined {
  return entities.pathname.endsWith(`/${ENTITIES_FILE}`)
    ? new URL(`index.json${entities.search}`, entities)
    : undefined;
}

/** Reads an index. `at` is where the text came from: addresses on another host are refused. */
export function readFtmIndex(text: string, at: URL): FtmRelease | { readonly why: string } {
  const index = objectOf(text);
  if (index === undefined) return { why: 'not a JSON object' };
  const { delta_url, resources, version } = index;
  if (typeof version !== 'string' || !VERSION.test(version)) return { why: 'no version' };
  const file: unknown = Array.isArray(resources)
    ? resources.find((one: unknown) => isObject(one) && one.name === ENTITIES_FILE)
    : undefined;
  if (!isObject(file)) return { why: `no ${ENTITIES_FILE} among its resources` };
  const { checksum: sha1, size: bytes } = file;
  const url = addressOf(file.url, at);
  if (url === undefined) return { why: `no address of ${ENTITIES_FILE} on its own host` };
  if (typeof sha1 !== 'string' || !SHA1.test(sha1)) return { why: 'no SHA-1 of its entities' };
  if (typeof bytes !== 'number') return { why: 'no size of its entities' };
  const deltasUrl = addressOf(delta_url, at);
  return { file: { bytes, sha1, url }, version, ...(deltasUrl !== undefined && { deltasUrl }) };
}

/**
 * The deltas that lead from one version to another, oldest first; none where nothing has changed.
 * Undefined where they do not reach back to it.
 */
export function readFtmDeltas(
  text: string,
  at: URL,
  between: { readonly from: string; readonly to: string },
): readonly FtmDelta[] | undefined {
  const versions = objectOf(text)?.versions;
  if (!isObject(versions)) return undefined;
  const known = Object.keys(versions).sort();
  const [oldest] = known;
  if (oldest === undefined || between.from < oldest) return undefined;
  const deltas: FtmDelta[] = [];
  for (const version of known) {
    if (version <= between.from || version > between.to) continue;
    const url = addressOf(versions[version], at);
    if (url === undefined || !VERSION.test(version)) return undefined;
    deltas.push({ url, version });
  }
  return deltas;
}

/** On the host of `at`, whose query, where one of its own has none, may hold what lets us in. */
function addressOf(value: unknown, at: URL): URL | undefined {
  if (typeof value !== 'string' || !URL.canParse(value, at.href)) return undefined;
  const url = new URL(value, at);
  if (url.search === '') url.search = at.search;
  return url.host === at.host && url.protocol === at.protocol ? url : undefined;
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
