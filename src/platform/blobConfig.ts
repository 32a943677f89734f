/** Where blobs are stored: in the data directory, or in a bucket with S3's interface. */
import { type EnvironmentReader, optional } from './environmentReader.ts';

/**
 * `compliance`: no one can shorten a retention. `governance`: a user with the right to bypass can.
 */
export const OBJECT_LOCKS = ['compliance', 'governance', 'off'] as const;
export type ObjectLock = (typeof OBJECT_LOCKS)[number];

export interface S3Config {
  readonly bucket: string;
  /** Prefix of every key: empty, or with a slash at its end. */
  readonly prefix: string;
  /** Origin. Absent: the origin of AWS for the region, with the bucket in its host name. */
  readonly endpoint?: string;
  readonly region: string;
  readonly accessKeyId: string;
  /** Never logged. */
  readonly secretAccessKey: { readonly value: string } | { readonly file: string };
  readonly objectLock: ObjectLock;
}

const URL_FORM =
  /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?<path>(\/[A-Za-z0-9._-]+)*)\/?$/;
const OTHERS = [
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_SECRET_ACCESS_KEY_FILE',
  'S3_OBJECT_LOCK',
];

/** Undefined: a folder. */
export function readBlobStore(read: EnvironmentReader): S3Config | undefined {
  const url = read.text('BLOB_STORE_URL', { fallback: '', form: URL_FORM });
  if (url === '') {
    const stray = OTHERS.filter((name) => read.isSet(name));
    // A wrong URL is reported already.
    if (stray.length > 0 && !read.isSet('BLOB_STORE_URL')) {
      read.refuse('BLOB_STORE_URL', `s3://bucket/prefix, beside ${stray.join(', ')}`, 'nothing');
    }
    return undefined;
  }
  const { bucket = '', path = '' } = URL_FORM.exec(url)?.groups ?? {};
  const accessKeyId = read.text('S3_ACCESS_KEY_ID', { fallback: '', form: /^[\x21-\x7e]{1,128}$/ });
  if (accessKeyId === '' && !read.isSet('S3_ACCESS_KEY_ID')) {
    read.refuse('S3_ACCESS_KEY_ID', 'a value, beside BLOB_STORE_URL', 'nothing');
  }
  return {
    accessKeyId,
    bucket,
    objectLock: read.choice('S3_OBJECT_LOCK', { choices: OBJECT_LOCKS, fallback: 'compliance' }),
    prefix: path === '' ? '' : `${path.slice(1)}/`,
    region: read.text('S3_REGION', { fallback: 'us-east-1', form: /^[a-z0-9-]{1,40}$/ }),
    secretAccessKey: readSecret(read),
    ...optional('endpoint', readEndpoint(read)),
  };
}

/**
 * The endpoint. Blobs are evidence and customers' data, so they leave the machine over TLS only.
 */
function readEndpoint(read: EnvironmentReader): string | undefined {
  const given = read.webUrl('S3_ENDPOINT');
  if (given === undefined) return undefined;
  const url = new URL(given);
  if (url.pathname === '/' && url.search === '' && url.hash === '') return url.origin;
  read.refuse('S3_ENDPOINT', 'an origin, as https://s3.example.com', `'${given.slice(0, 100)}'`);
  return undefined;
}

function readSecret(read: EnvironmentReader): S3Config['secretAccessKey'] {
  const value = read.secret('S3_SECRET_ACCESS_KEY');
  const file = read.path('S3_SECRET_ACCESS_KEY_FILE');
  if (file !== undefined && value === undefined) return { file };
  if (value === undefined || file !== undefined) {
    const got = file === undefined ? 'nothing usable' : 'both';
    read.refuse('S3_SECRET_ACCESS_KEY', 'it or S3_SECRET_ACCESS_KEY_FILE', got);
  }
  return { value: value ?? '' };
}
