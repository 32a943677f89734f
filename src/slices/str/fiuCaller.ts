/**
 * An FIU's goAML Web over HTTPS ("B2B"): a package is posted, and what became of it is asked for.
 * Nothing is followed, little is read, and no more is believed than the form that is expected.
 */
import { type Dispatcher, request } from 'undici';
import type { Random } from '#platform/random';
import type { RefusalReason } from './endSubmission.ts';

/** A report as the FIU has it. */
export interface RemoteReport {
  readonly key: string;
  readonly state: 'accepted' | 'pending' | 'refused';
  readonly fiuReference?: string;
  readonly reasons: readonly RefusalReason[];
}

/** What a post has come to. */
export type PostOutcome =
  | { readonly kind: 'taken'; readonly key: string }
  | { readonly kind: 'refused'; readonly reasons: readonly RefusalReason[] };

/** The calls of one tenant. */
export interface FiuCaller {
  /** The report of this name, if the FIU has one. */
  lookUp(entityReference: string): Promise<RemoteReport | undefined>;
  post(of: { readonly fileName: string; readonly bytes: Uint8Array }): Promise<PostOutcome>;
  stateOf(key: string): Promise<RemoteReport | undefined>;
}

/** Why a call has no answer that counts. Whether the FIU has taken what was sent is not known. */
export class FiuFault extends Error {
  override readonly name = 'FiuFault';
  readonly code: 'fiu-unreachable' | 'fiu-login' | 'fiu-answer';

  constructor(code: FiuFault['code'], cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

const TIMEOUT_MS = 60_000;
const ANSWER_BYTES_MAX = 1024 * 1024;
const REASONS_MAX = 200;
const TEXT_MAX = 2_000;
const BAD_REQUEST = 400;
const ACCEPTED: ReadonlySet<string> = new Set(['accepted', 'processed', 'transferred']);
const REFUSED: ReadonlySet<string> = new Set(['rejected', 'invalid', 'failed']);

/** Connections go by `dispatcher`, which is guarded as those of webhooks are. */
export function fiuCaller(options: {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly dispatcher: Dispatcher;
  readonly random: Random;
}): FiuCaller {
  const { dispatcher, password, random, url, user } = options;
  const base = url.replace(/\/$/, '');
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const call = async (
    path: string,
    of: { readonly body?: Buffer; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<{ readonly status: number; readonly value: unknown }> => {
    const { body, headers = {} } = of;
    try {
      const answer = await request(`${base}${path}`, {
        bodyTimeout: TIMEOUT_MS,
        dispatcher,
        headers: { accept: 'application/json', authorization, ...headers },
        headersTimeout: TIMEOUT_MS,
        method: body === undefined ? 'GET' : 'POST',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body !== undefined && { body }),
      });
      return { status: answer.statusCode, value: await readAnswer(answer.body) };
    } catch (error) {
      if (error instanceof FiuFault) throw error;
      throw new FiuFault('fiu-unreachable', error);
    }
  };
  const find = async (name: NameOfReport, text: string): Promise<RemoteReport | undefined> => {
    const query = `$filter=${encodeURIComponent(`${name} eq ${quoted(text)}`)}`;
    const { status, value } = await call(`/odata/Odata/OdataReports?${query}`);
    refuseStatus(status);
    return reportIn(value, name, text);
  };
  return {
    lookUp: (entityReference) => find('EntityReference', entityReference),
    async post({ bytes, fileName }) {
      const boundary = Buffer.from(random.bytes(16)).toString('hex');
      const { status, value } = await call('/api/Reports/PostReport', {
        body: formOf(boundary, fileName, bytes),
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      });
      if (status === BAD_REQUEST) return { kind: 'refused', reasons: reasonsIn(value) };
      refuseStatus(status);
      const key = textOf(value) ?? textOf(memberOf(value, 'reportkey', 'ReportKey'));
      if (key === undefined) throw new FiuFault('fiu-answer');
      return { key, kind: 'taken' };
    },
    stateOf: (key) => find('ReportKey', key),
  };
}

function refuseStatus(status: number): void {
  if (status >= 200 && status < 300) return;
  throw new FiuFault(status === 401 || status === 403 ? 'fiu-login' : 'fiu-unreachable');
}

async function readAnswer(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > ANSWER_BYTES_MAX) throw new FiuFault('fiu-answer');
    pieces.push(piece);
  }
  const text = Buffer.concat(pieces).toString();
  try {
    return JSON.parse(text);
  } catch {
    return text; // some answer with the bare key, or with words
  }
}

function formOf(boundary: string, fileName: string, bytes: Uint8Array): Buffer {
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${fileName}"\r\n` +
    'content-type: application/zip\r\n\r\n';
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

/** OData doubles a quote in a text. */
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function memberOf(value: unknown, ...names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const of = value as Readonly<Record<string, unknown>>;
  return names.map((name) => of[name]).find((one) => one !== undefined && one !== null);
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== ''
    ? text.trim().slice(0, TEXT_MAX)
    : undefined;
}

/** By which member a report is looked for. */
type NameOfReport = 'EntityReference' | 'ReportKey';

/**
 * The latest of them, where there are several; undefined where there is none. A server that does
 * not know the filter answers with reports of others: none of them is taken for this one, and rows
 * that do not say whose they are are no answer.
 */
function reportIn(value: unknown, name: NameOfReport, text: string): RemoteReport | undefined {
  const rows = memberOf(value, 'value');
  if (!Array.isArray(rows)) throw new FiuFault('fiu-answer');
  const named = rows.map((one: unknown) => textOf(memberOf(one, name)));
  if (named.includes(undefined)) throw new FiuFault('fiu-answer');
  const row: unknown = rows[named.lastIndexOf(text)];
  if (row === undefined) return undefined;
  const key = textOf(memberOf(row, 'ReportKey'));
  if (key === undefined) throw new FiuFault('fiu-answer');
  const status = (textOf(memberOf(row, 'Status')) ?? '').toLowerCase();
  const fiuReference = textOf(memberOf(row, 'FiuRefNumber', 'ReferenceNumber'));
  return {
    key,
    reasons: reasonsIn(memberOf(row, 'Errors')),
    state: ACCEPTED.has(status) ? 'accepted' : REFUSED.has(status) ? 'refused' : 'pending',
    ...(fiuReference !== undefined && { fiuReference }),
  };
}

function reasonsIn(value: unknown): readonly RefusalReason[] {
  const found = memberOf(value, 'errors', 'Errors') ?? value;
  const all: readonly unknown[] = Array.isArray(found) ? found : found === undefined ? [] : [found];
  return all.slice(0, REASONS_MAX).map((one): RefusalReason => {
    const pointer = textOf(memberOf(one, 'element', 'Element', 'path', 'Path'));
    return {
      code: textOf(memberOf(one, 'code', 'Code')) ?? 'refused',
      detail:
        textOf(one) ??
        textOf(memberOf(one, 'message', 'Message', 'detail')) ??
        JSON.stringify(one).slice(0, TEXT_MAX),
      ...(pointer !== undefined && { pointer }),
    };
  });
}
