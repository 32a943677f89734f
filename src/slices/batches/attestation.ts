/**
 * The attestation of a batch: what was screened against what, the result, and the digests that bind
 * everything else, signed with the key of the audit chain. docs/batch-evidence.md says the same for
 * outsiders; the two must change together.
 *
 * The PDF shows only this document, so the holder of the one can make the other. A PDF cannot
 * contain its own digest, so `report_sha256` is that of the CSV (decisions 3.4).
 */
import assert from 'node:assert/strict';
import { type DocumentPlace, refuseDocument } from '#core/audit';
import { canonicalJson } from '#platform/canonicalJson';
import { toTimestamp } from '#platform/clock';
import { type Signer, sha256 } from '#platform/crypto';
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import type { PinnedList, Reissue, StoredFile, SubjectDecision } from './batch.ts';
import type { ReportFrom, ScreenedBatch } from './reportPorts.ts';

const ATTESTATION_DOMAIN = Buffer.from('batch-attestation-v1\0');
const REPORT_DOMAIN = Buffer.from('batch-report-v1\0');
const DEPTH_MAX = 64;

/** A list as it was consulted. Times are RFC 3339 UTC with milliseconds. */
export interface AttestedList {
  readonly source: string;
  readonly list_version: string;
  readonly list_digest: string;
  readonly content_digest: string;
  readonly published_at: string;
  /** The version whose entries were known already and not sought; null: the whole list was. */
  readonly since: Readonly<
    Record<'list_version' | 'list_digest' | 'content_digest', string>
  > | null;
}

/** In code-unit order of its members, as it is hashed. */
export interface AttestationStatement {
  readonly batch_id: string;
  readonly batch_name: string;
  /**
   * The last of the entries that it stands on: its place in the tenant's chain. Absent in those of
   * a former release.
   */
  readonly chain?: Readonly<Record<'hash', string> & Record<'seq', number>>;
  readonly chunk_subjects: number;
  readonly chunks: number;
  readonly include_adverse_media: boolean;
  readonly include_pep: boolean;
  readonly input: {
    readonly bytes: number;
    readonly file_name: string | null;
    /** Rows of data: those that were screened and those that were rejected. */
    readonly line_count: number;
    readonly sha256: string;
    readonly type: string;
  };
  readonly key_id: string;
  readonly list_version: string | null;
  /** Absent: `list_version` is of a former release, and says nothing of `resolution`. */
  readonly list_version_v?: number;
  readonly lists: readonly AttestedList[];
  readonly mode: string;
  readonly period: {
    readonly base_batch_id: string | null;
    readonly completed_at: string;
    readonly duration_ms: number;
    readonly requested_at: string;
    readonly since: string | null;
    readonly started_at: string;
  };
  readonly policy_version: number;
  /** Written again after subjects were erased; absent in the first attestation of a batch. */
  readonly reissue?: Reissue;
  readonly rejected_sha256: string | null;
  /** SHA-256 of the CSV report. */
  readonly report_sha256: string;
  readonly reranker_version: string;
  readonly resolution: string | null;
  readonly results_root: string;
  readonly tenant_id: string;
  readonly tenant_name: string;
  readonly thresholds: Readonly<Record<'auto_clear' | 'auto_match' | 'review', number>>;
  readonly totals: {
    /** Hits. */
    readonly by_category: Readonly<Record<'adverse_media' | 'pep' | 'rca' | 'sanctions', number>>;
    /** Subjects. */
    readonly by_decision: Readonly<Record<SubjectDecision, number>>;
    readonly hits: number;
    readonly rejected: number;
    readonly subjects: number;
    readonly subjects_with_hits: number;
  };
  readonly type: 'batch-attestation';
  readonly version: 1;
  readonly xlsx_sha256: string;
}

export interface Attestation extends AttestationStatement {
  /** base64 Ed25519 over "batch-attestation-v1\0" ‖ JCS(attestation without signature). */
  readonly signature: string;
}

/** The result of a batch, signed. The same batch and key give the same bytes. */
export function attest(
  of: Pick<ReportFrom, 'batch' | 'reissue' | 'tenantName'>,
  files: { readonly csv: StoredFile; readonly xlsx: StoredFile },
  signer: Signer,
): Attestation {
  const statement = statementOf(of, files, signer.keyId);
  const signature = Buffer.from(signer.sign(attestationMessage(statement))).toString('base64');
  return { ...statement, signature };
}

function statementOf(
  { batch, reissue, tenantName }: Pick<ReportFrom, 'batch' | 'reissue' | 'tenantName'>,
  { csv, xlsx }: { readonly csv: StoredFile; readonly xlsx: StoredFile },
  keyId: string,
): AttestationStatement {
  const { counts, settings, source, thresholds } = batch;
  const { sanction, ...categories } = counts.byMatchType;
  return {
    batch_id: batch.batchId,
    batch_name: batch.name,
    chain: { hash: batch.chainPlace.hash, seq: batch.chainPlace.seq },
    chunk_subjects: batch.chunkSubjects,
    chunks: counts.chunks,
    include_adverse_media: batch.includeAdverseMedia,
    include_pep: batch.includePep,
    input: {
      bytes: source.bytes,
      file_name: source.fileName ?? null,
      line_count: counts.subjects + batch.rejectedTotal,
      sha256: source.address,
      type: source.type,
    },
    key_id: keyId,
    list_version: batch.listVersion ?? null,
    ...(batch.listVersionV && { list_version_v: batch.listVersionV }),
    lists: batch.listsPinned.map(attestedList),
    mode: batch.mode,
    period: periodOf(batch),
    policy_version: settings.policyVersion,
    ...(reissue !== undefined && { reissue }),
    rejected_sha256: batch.rejected?.address ?? null,
    report_sha256: csv.address,
    reranker_version: settings.rerankerVersion,
    resolution: batch.resolution ?? null,
    results_root: batch.resultsRoot,
    tenant_id: batch.tenantId,
    tenant_name: tenantName,
    thresholds: {
      auto_clear: thresholds.autoClear,
      auto_match: thresholds.autoMatch,
      review: thresholds.review,
    },
    totals: {
      by_category: { ...categories, sanctions: sanction },
      by_decision: counts.byDecision,
      hits: counts.hits,
      rejected: batch.rejectedTotal,
      subjects: counts.subjects,
      subjects_with_hits: counts.subjectsWithHits,
    },
    type: 'batch-attestation',
    version: 1,
    xlsx_sha256: xlsx.address,
  };
}

function periodOf(batch: ScreenedBatch): AttestationStatement['period'] {
  return {
    base_batch_id: batch.baseBatchId ?? null,
    completed_at: toTimestamp(batch.completedAt),
    duration_ms: Math.max(0, batch.completedAt - batch.startedAt),
    requested_at: toTimestamp(batch.requestedAt),
    since: batch.since === undefined ? null : toTimestamp(batch.since),
    started_at: toTimestamp(batch.startedAt),
  };
}

function attestedList(list: PinnedList): AttestedList {
  const { index: _, overlay: __, published_at, since, source, ...digests } = list;
  return { ...digests, published_at: toTimestamp(published_at), since: since ?? null, source };
}

/** The bytes to sign: "batch-attestation-v1\0" ‖ JCS(attestation without signature). */
const attestationMessage = (statement: object): Uint8Array =>
  Buffer.concat([ATTESTATION_DOMAIN, Buffer.from(canonicalJson(statement))]);

/** The one spelling of it: the file, and the attachment of the PDF. */
export const attestationText = (attestation: Attestation): string => canonicalJson(attestation);

/** Detached: base64 Ed25519 over "batch-report-v1\0" ‖ SHA-256 of the file. */
export function signReport(fileSha256: string, signer: Signer): string {
  return Buffer.from(signer.sign(reportMessage(fileSha256))).toString('base64');
}

function reportMessage(fileSha256: string): Uint8Array {
  const digest = Buffer.from(fileSha256, 'hex');
  assert(digest.length === 32, 'SHA-256: expected 64 hex characters');
  return Buffer.concat([REPORT_DOMAIN, digest]);
}

export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string };

export const refused = (reason: string): { readonly ok: false; readonly reason: string } => ({
  ok: false,
  reason,
});

/**
 * Reads an attestation and verifies it with the keys (`keys public`). Its shape is checked only as
 * far as the signature needs: a good signature proves that it is ours. Throws KeyError where the
 * keys cannot be read.
 */
export function verifyAttestation(
  bytes: Uint8Array,
  keys: unknown,
  how?: VerifyHow,
): Checked<Attestation> {
  const value = parsed(bytes);
  return value === undefined ? refused('not JSON') : verifyAttestationValue(value, keys, how);
}

/** `isAnchored`: the chain itself names the document, so that its key need not say when it was. */
export interface VerifyHow {
  readonly isAnchored?: boolean;
}

/** The same for a document that was parsed already, strictly. */
export function verifyAttestationValue(
  value: unknown,
  keys: unknown,
  how: VerifyHow = {},
): Checked<Attestation> {
  if (typeof value !== 'object' || value === null) return refused('expected an attestation');
  const { signature, ...statement } = value as Partial<Record<keyof Attestation, unknown>>;
  const { key_id, tenant_id, type, version } = statement;
  if (type !== 'batch-attestation' || version !== 1) {
    return refused('expected an attestation of version 1');
  }
  if (typeof tenant_id !== 'string' || typeof key_id !== 'string') {
    return refused('expected tenant_id and key_id');
  }
  // Without a place, the chain's entry `aml.batch.completed` must name the document: see VerifyHow.
  const reason = refuseDocument(attestationMessage(statement), {
    keyId: key_id,
    keys,
    place: how.isAnchored === true ? undefined : placeIn(statement),
    signature,
    tenantId: tenant_id,
  });
  return reason === undefined ? { ok: true, value: value as Attestation } : refused(reason);
}

/** Why the detached signature of a PDF does not hold; undefined where it does. */
export function refuseReportSignature(
  file: Uint8Array,
  signature: string,
  by: { readonly attestation: Attestation; readonly keys: unknown },
): string | undefined {
  return refuseDigestSignature(sha256(file).toString('hex'), signature, by);
}

/** The same for the digest of a file, in hex. */
export function refuseDigestSignature(
  fileSha256: string,
  signature: string,
  { attestation, keys }: { readonly attestation: Attestation; readonly keys: unknown },
): string | undefined {
  // Its attestation was verified, with its place.
  return refuseDocument(reportMessage(fileSha256), {
    keyId: attestation.key_id,
    keys,
    place: undefined,
    signature,
    tenantId: attestation.tenant_id,
  });
}

/** What the document says of its place and time; the signature covers it. */
function placeIn({ chain, period }: Partial<Record<keyof Attestation, unknown>>): DocumentPlace {
  const { seq } = (chain ?? {}) as { readonly seq?: unknown };
  const { completed_at } = (period ?? {}) as { readonly completed_at?: unknown };
  return {
    at: typeof completed_at === 'string' ? completed_at : undefined,
    seq: typeof seq === 'number' && Number.isSafeInteger(seq) ? seq : undefined,
  };
}

/** Strictly: a member twice could be read in two ways. */
export function parsed(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes, { depthMax: DEPTH_MAX });
  } catch (error) {
    if (error instanceof StrictJsonError) return undefined;
    throw error;
  }
}
