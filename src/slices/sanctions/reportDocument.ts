/**
 * The report of one screening: its event as it is in the chain, and beside it a signed statement
 * that says what people decided of its hits, what the lists said of them, and where the event
 * stands. docs/screenings.md says the same for outsiders; the two must change together.
 *
 * The PDF shows only this document, so the holder of the one can make the other.
 */
import {
  type Checkpoint,
  chainKeys,
  checkEvent,
  EventRefused,
  type JsonRecord,
  parseCheckpoint,
  refuseCheckpoint,
  refuseDocument,
  signatureMessage,
  wordEvent,
} from '#core/audit';
import type { ChainId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type Signer, sha256 } from '#platform/crypto';
import { LOCALES, type Locale } from '#platform/locales';
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import type { ShownFacts } from '#slices/lists';

const REPORT_DOMAIN = Buffer.from('screening-report-v1\0');
const FILE_DOMAIN = Buffer.from('screening-report-file-v1\0');
const DEPTH_MAX = 64;

/** What people have said of one hit. */
export interface ReportedReview {
  readonly status: string;
  readonly reason_code: string | null;
  /** As entries name actors. */
  readonly decided_by: string | null;
  readonly confirmed_by: string | null;
  readonly decided_at: string | null;
}

/** What stands beside a hit of the event. */
export interface ReportedHit {
  readonly ftm_id: string;
  readonly facts: ShownFacts;
  readonly review: ReportedReview;
}

/** What is signed; all of it but the signature. */
export interface ReportStatement {
  /** The latest one that covers the event; null where there is none yet. */
  readonly checkpoint: Checkpoint | null;
  /** The event beside it, whose hash binds all its members. */
  readonly event_hash: string;
  readonly event_seq: number;
  readonly hits: readonly ReportedHit[];
  /** When it was made, and the head of the chain then. */
  readonly issued: { readonly at: string; readonly hash: string; readonly seq: number };
  readonly key_id: string;
  readonly lang: Locale;
  readonly screening_id: string;
  readonly tenant_id: string;
  readonly tenant_name: string;
  readonly type: 'screening-report';
  readonly version: 1;
}

/** A statement with base64 Ed25519 over "screening-report-v1\0" ‖ JCS(statement). */
export interface SignedStatement extends ReportStatement {
  readonly signature: string;
}

/** What is attached to the PDF. */
export interface ScreeningReport {
  readonly event: JsonRecord;
  readonly report: SignedStatement;
}

export function signStatement(statement: ReportStatement, signer: Signer): SignedStatement {
  const signature = signer.sign(statementMessage(statement));
  return { ...statement, signature: Buffer.from(signature).toString('base64') };
}

const statementMessage = (statement: object): Uint8Array =>
  Buffer.concat([REPORT_DOMAIN, Buffer.from(canonicalJson(statement))]);

/** The one spelling of it: the attachment of the PDF. */
export const reportText = (report: ScreeningReport): string => canonicalJson(report);

/** Detached: base64 Ed25519 over "screening-report-file-v1\0" ‖ SHA-256 of the PDF. */
export const signFile = (file: Uint8Array, signer: Signer): string =>
  Buffer.from(signer.sign(fileMessage(file))).toString('base64');

const fileMessage = (file: Uint8Array): Uint8Array => Buffer.concat([FILE_DOMAIN, sha256(file)]);

/** Why the detached signature of the PDF does not hold; undefined where it does. */
export const refuseFile = (
  file: Uint8Array,
  signature: string,
  { keys, report }: { readonly keys: unknown; readonly report: SignedStatement },
): string | undefined =>
  refuseDocument(fileMessage(file), {
    keyId: report.key_id,
    keys,
    // The statement within was verified, with its place.
    place: undefined,
    signature,
    tenantId: report.tenant_id,
  });

export type ReadReport =
  | { readonly ok: true; readonly report: ScreeningReport }
  | { readonly ok: false; readonly reason: string };

const refused = (reason: string): ReadReport => ({ ok: false, reason });

/**
 * Reads a report and verifies all that it holds with the public keys: the statement, the event
 * under its hash and signature, and the checkpoint. Throws KeyError where the keys cannot be read.
 */
export function verifyReport(bytes: Uint8Array, keys: unknown): ReadReport {
  const value = parsed(bytes);
  if (value === undefined) return refused('the attached evidence is not JSON');
  const shaped = shapeOf(value);
  if (shaped === undefined) return refused('expected the report of a screening, version 1');
  const { event, report } = shaped;
  if (reportText(shaped) !== Buffer.from(bytes).toString()) {
    return refused('the attached evidence is not in its canonical form');
  }
  const { signature, ...statement } = report;
  const reason =
    prefixed(
      'statement',
      refuseDocument(statementMessage(statement), {
        keyId: report.key_id,
        keys,
        place: { at: report.issued.at, seq: report.issued.seq },
        signature,
        tenantId: report.tenant_id,
      }),
    ) ??
    prefixed('event', refuseEvent(event, report, keys)) ??
    prefixed('checkpoint', refuseHeld(report, keys));
  return reason === undefined ? { ok: true, report: shaped } : refused(reason);
}

const prefixed = (what: string, reason: string | undefined): string | undefined =>
  reason === undefined ? undefined : `${what}: ${reason}`;

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes, { depthMax: DEPTH_MAX });
  } catch (error) {
    if (error instanceof StrictJsonError) return undefined;
    throw error;
  }
}

/** Its shape as far as verification and drawing need it: a good signature proves the rest. */
function shapeOf(value: unknown): ScreeningReport | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { event, report, ...more } = value as Partial<Record<keyof ScreeningReport, unknown>>;
  if (typeof event !== 'object' || event === null || Object.keys(more).length > 0) return undefined;
  if (typeof report !== 'object' || report === null) return undefined;
  const of = report as Partial<Record<keyof SignedStatement, unknown>>;
  const { at, seq } = (of.issued ?? {}) as { readonly at?: unknown; readonly seq?: unknown };
  const isShaped =
    of.type === 'screening-report' &&
    of.version === 1 &&
    typeof of.key_id === 'string' &&
    typeof of.tenant_id === 'string' &&
    LOCALES.some((lang) => lang === of.lang) &&
    Array.isArray(of.hits) &&
    typeof at === 'string' &&
    typeof seq === 'number' &&
    Number.isSafeInteger(seq);
  return isShaped ? (value as ScreeningReport) : undefined;
}

function refuseEvent(
  event: JsonRecord,
  report: ReportStatement,
  keys: unknown,
): string | undefined {
  try {
    const { hash, keyId, seq, signature } = checkEvent(wordEvent(event), report.tenant_id);
    if (hash !== report.event_hash || seq !== report.event_seq) return 'not the one of the report';
    if (event.screening_id !== report.screening_id) return 'of another screening';
    if (seq > report.issued.seq) return 'later than the report';
    const ring = chainKeys(keys, report.tenant_id as ChainId);
    const key = ring.forEvent(keyId, seq);
    if (typeof key === 'string') return key;
    const dated = ring.forDocument(keyId, { at: String(event.occurred_at), seq });
    if (typeof dated === 'string') return dated;
    return key.verify(signatureMessage(hash), signature) ? undefined : 'signature does not verify';
  } catch (error) {
    if (error instanceof EventRefused) return error.message;
    throw error;
  }
}

/** Why the checkpoint of a report is not one that covers its event; undefined where it is. */
export function refuseHeld(
  { checkpoint, ...report }: ReportStatement,
  keys: unknown,
): string | undefined {
  if (checkpoint === null) return undefined;
  const held = parseCheckpoint(checkpoint);
  if (held === undefined) return 'malformed';
  if (held.tenant_id !== report.tenant_id) return 'of another chain';
  if (held.seq < report.event_seq) return 'it does not cover the event';
  if (held.seq === report.event_seq && held.hash !== report.event_hash) return 'of another event';
  return refuseCheckpoint(held, chainKeys(keys, report.tenant_id as ChainId));
}
