/**
 * A report as it is signed: its bytes as they stand in the file, without the XML declaration and
 * the white space around, and the digest of their canonical form within the signature's `Object`.
 * The report is read as a stream, and checked for what makes the IRS reject a file before it looks
 * into it (NTD: `--`, `/*`, `&#`).
 */
import { createHash } from 'node:crypto';
import { DomainError } from '#core/kernel';
import { NotCanonical } from '#platform/xml/canonicalTags';
import { CanonicalXml } from '#platform/xml/canonicalXml';
import type { XmlHandler } from '#platform/xml/ports';
import { readXml, XmlDamaged } from '#platform/xml/readXml';
import { XmlTokens } from '#platform/xml/xmlTokens';
import { DSIG } from './envelope.ts';
import { readGiin } from './giin.ts';
import { REPORT_BYTES_MAX } from './limits.ts';

/** The same bytes at each call. */
export type ReportSource = () => AsyncIterable<Uint8Array>;

/** What is known of a report once it was read. */
export interface ReportFacts {
  /** GIIN of who sends it. */
  readonly sender: string;
  readonly receivingCountry: string;
  readonly messageRefId: string;
  readonly taxYear: number;
  /** Size of what is signed, and its SHA-256 in hex. */
  readonly bytes: number;
  readonly sha256: string;
  /** SHA-256 of the canonical `Object`. */
  readonly digest: Buffer;
}

const NAMESPACE = 'urn:oecd:ties:fatca:v2';
const ROOT = 'FATCA_OECD';
const HEADER = 'MessageSpec';
/** Namespace of what stands in the header. */
const TYPES = '{urn:oecd:ties:stffatcatypes:v2}';
const MESSAGE_REF = /^\S.{0,199}$/;
const PERIOD = /^([2-9][0-9]{3})-[0-9]{2}-[0-9]{2}$/;
const COUNTRY = /^[A-Z]{2}$/;
const NO_ROOT = 'expected a root with nothing but an XML declaration before it';
const PROLOG_BYTES_MAX = 1_024;
const PROLOG = /^(?:\u00ef\u00bb\u00bf)?(<\?xml[^?>]*\?>)?\s*(?=<[^!?\s])/;
const ENCODING = /encoding\s*=\s*["']([^"']*)["']/;
/** The last two are comments, sections and instructions, which no report needs. */
const REFUSED = ['--', '/*', '&#', '<!', '<?'] as const;
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

export const reportRefused = (detail: string, cause?: unknown): DomainError =>
  new DomainError('package-report-invalid', { cause, detail });

/** What is signed of the report. Throws `package-report-invalid`. */
export async function* payloadOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let prolog: Buffer | undefined = Buffer.alloc(0);
  let spaces: Buffer = Buffer.alloc(0);
  for await (const given of pieces) {
    let piece = Buffer.from(given.buffer, given.byteOffset, given.length);
    if (prolog !== undefined) {
      prolog = Buffer.concat([prolog, piece]);
      const start = startOf(prolog);
      if (start === undefined) continue;
      piece = prolog.subarray(start);
      prolog = undefined;
    }
    let end = piece.length;
    while (end > 0 && SPACES.has(piece[end - 1] ?? 0)) end--;
    if (end === 0) spaces = Buffer.concat([spaces, piece]);
    else {
      yield Buffer.concat([spaces, piece.subarray(0, end)]);
      spaces = piece.subarray(end);
    }
    if (spaces.length > REPORT_BYTES_MAX.spaces)
      throw reportRefused('expected no white space alone');
  }
  if (prolog !== undefined) throw reportRefused(NO_ROOT);
}

/** Where the root begins; undefined where more bytes are needed. */
function startOf(bytes: Buffer): number | undefined {
  const found = PROLOG.exec(bytes.toString('latin1', 0, PROLOG_BYTES_MAX));
  if (found === null) {
    if (bytes.length < PROLOG_BYTES_MAX) return undefined;
    throw reportRefused(NO_ROOT);
  }
  const encoding = ENCODING.exec(found[1] ?? '')?.[1] ?? 'UTF-8';
  if (encoding.toUpperCase() !== 'UTF-8') throw reportRefused('expected the encoding UTF-8');
  return found[0].length;
}

/** Reads all of it; `objectId` is that of the signature's `Object`. */
export async function readReport(source: ReportSource, objectId: string): Promise<ReportFacts> {
  const header = new Map<string, string>();
  const sums = { bytes: 0, digest: createHash('sha256'), sha256: createHash('sha256') };
  const seen = watched(payloadOf(source()), sums, objectId);
  try {
    await readXml(seen, headerReader(header));
  } catch (error) {
    if (error instanceof XmlDamaged || error instanceof NotCanonical)
      throw reportRefused(`not well-formed: ${error.message}`, error);
    if (error instanceof TypeError) throw reportRefused('expected UTF-8', error);
    throw error;
  }
  const said = (name: string): string => header.get(TYPES + name) ?? '';
  const sender = readGiin(said('SendingCompanyIN'), { takesAuthorities: true });
  if (!sender.isValid) throw reportRefused(`SendingCompanyIN: expected ${sender.expected}`);
  const year = PERIOD.exec(said('ReportingPeriod'))?.[1];
  if (year === undefined) throw reportRefused('ReportingPeriod: expected a day of its year');
  if (!MESSAGE_REF.test(said('MessageRefId'))) throw reportRefused('MessageRefId: expected one');
  if (!COUNTRY.test(said('ReceivingCountry')))
    throw reportRefused('ReceivingCountry: expected one');
  return {
    bytes: sums.bytes,
    digest: sums.digest.digest(),
    messageRefId: said('MessageRefId'),
    receivingCountry: said('ReceivingCountry'),
    sender: sender.giin.value,
    sha256: sums.sha256.digest('hex'),
    taxYear: Number(year),
  };
}

/** Takes digests of what passes; the text that is refused is told by its place alone. */
async function* watched(
  pieces: AsyncIterable<Buffer>,
  sums: {
    bytes: number;
    readonly digest: ReturnType<typeof createHash>;
    readonly sha256: ReturnType<typeof createHash>;
  },
  objectId: string,
): AsyncGenerator<Buffer> {
  const canonical = new CanonicalXml('inclusive', new Map([['', DSIG]]), (text) =>
    sums.digest.update(text),
  );
  const tokens = new XmlTokens(canonical);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let last = '';
  tokens.write(`<Object Id="${objectId}">`);
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true });
    const found = REFUSED.find((mark) => (last + text).includes(mark));
    if (found !== undefined) {
      throw reportRefused(`expected no ${found} anywhere, got one after byte ${sums.bytes}`);
    }
    last = text.slice(-1);
    tokens.write(text);
    sums.sha256.update(piece);
    sums.bytes += piece.length;
    if (sums.bytes > REPORT_BYTES_MAX.all) {
      throw reportRefused(`expected at most ${REPORT_BYTES_MAX.all} bytes: split the report`);
    }
    yield piece;
  }
  tokens.write('</Object>');
  canonical.end();
}

/** An element of no namespace would be one of the signature once it stands within it. */
function headerReader(header: Map<string, string>): XmlHandler {
  let isHeader = false;
  return {
    close(name, text, depth) {
      if (depth === 3 && isHeader) header.set(name, text);
    },
    open(name, depth) {
      if (name.startsWith('{}')) throw reportRefused('expected a namespace for every element');
      if (depth === 2) isHeader = name === HEADER;
    },
    root(name, namespace) {
      if (name !== ROOT || namespace !== NAMESPACE) {
        throw reportRefused(`expected the root ${ROOT} in ${NAMESPACE}`);
      }
    },
  };
}
