/**
 * A file of a batch's evidence, verified with the public keys: its kind, which parts were checked,
 * and why it is bad where it is.
 *
 * The pages of a PDF are not what is signed inside it. They are verified by the detached signature
 * or, where that was not kept, drawn anew from the attestation and compared. So a page that differs
 * from the attestation beside it is never accepted.
 */
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { isPdf, readAttachment } from '#platform/pdfAttachment';
import {
  type Attestation,
  attestationText,
  type Checked,
  type ProvenResult,
  parseEvidence,
  refuseReportSignature,
  type SubjectProof,
  type VerifyHow,
  verifyAttestation,
  verifyAttestationValue,
  verifyProofValue,
} from '#slices/batches';
import type { ChainAnchors } from './chainAnchors.ts';

export interface VerifyOptions {
  readonly keys: unknown;
  /** What an export of the chain names of batches; undefined where none was given. */
  readonly anchors?: ChainAnchors | undefined;
  /** Digests of the files at hand; undefined where there are none. */
  readonly digests: Readonly<Record<'report_sha256' | 'xlsx_sha256', string | undefined>>;
  /** Base64, of the PDF. */
  readonly signature: string | undefined;
  /** Absent: the pages are compared with nothing but their detached signature. */
  readonly renderAttestation: ((attestation: Attestation) => Promise<Uint8Array>) | undefined;
}

type Kind = 'attestation' | 'pdf' | 'proof' | 'unknown';

export interface FileReport {
  readonly value: {
    readonly ok: boolean;
    readonly kind: Kind;
    readonly reason: string | null;
    /** The checks that passed. */
    readonly checked: readonly string[];
    readonly batch_id: string | null;
    readonly tenant_id: string | null;
    readonly key_id: string | null;
    readonly subject: Readonly<Record<string, unknown>> | null;
  };
  readonly text: string;
}

export async function verifyBatchFile(file: Buffer, options: VerifyOptions): Promise<FileReport> {
  const verification = new FileVerification(options);
  await verification.run(file);
  return verification.report();
}

class FileVerification {
  readonly #options: VerifyOptions;
  readonly #checked: string[] = [];
  #kind: Kind = 'unknown';
  #reason: string | undefined;
  #attestation: Attestation | undefined;
  #proven: ProvenResult | undefined;

  constructor(options: VerifyOptions) {
    this.#options = options;
  }

  async run(file: Buffer): Promise<void> {
    if (isPdf(file)) await this.#pdf(file);
    else this.#json(file);
    if (this.#attestation !== undefined) this.#files(this.#attestation);
  }

  report(): FileReport {
    const attestation = this.#attestation;
    const result = this.#proven?.result;
    const ok = this.#reason === undefined;
    const value = {
      batch_id: attestation?.batch_id ?? null,
      checked: this.#checked,
      key_id: attestation?.key_id ?? null,
      kind: this.#kind,
      ok,
      reason: this.#reason ?? null,
      subject: result
        ? { decision: result.decision, external_id: result.external_id, hits: result.hits.length }
        : null,
      tenant_id: attestation?.tenant_id ?? null,
    };
    const held = this.#checked.length > 0 ? ` (held: ${this.#checked.join(', ')})` : '';
    const text = ok
      ? `good ${this.#kind} of batch ${value.batch_id}: ${this.#checked.join(', ')}`
      : `bad: ${this.#reason}${held}`;
    return { text, value };
  }

  async #pdf(file: Buffer): Promise<void> {
    this.#kind = 'pdf';
    const attachment = readAttachment(file);
    if (attachment === undefined) return this.#refuse('the PDF holds no attestation of ours');
    const attestation = this.#attested(
      verifyAttestation(attachment, this.#options.keys, this.#how(attachment)),
    );
    if (attestation === undefined) return;
    if (attestationText(attestation) !== attachment.toString()) {
      return this.#refuse('the attestation is not in its canonical form');
    }
    await this.#pages(file, attestation);
  }

  async #pages(file: Buffer, attestation: Attestation): Promise<void> {
    const { keys, renderAttestation, signature } = this.#options;
    if (signature !== undefined) {
      const reason = refuseReportSignature(file, signature, { attestation, keys });
      if (reason !== undefined) return this.#refuse(`pages: ${reason}`);
      this.#checked.push('pages by their signature');
      return;
    }
    const drawn = await renderAttestation?.(attestation);
    if (drawn === undefined || !file.equals(drawn)) {
      return this.#refuse(
        'pages: not as this edition draws the attestation; give the --signature of the file',
      );
    }
    this.#checked.push('pages by drawing them again');
  }

  #json(file: Buffer): void {
    const value = parseEvidence(file);
    const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : '';
    if (type === 'batch-proof') this.#proof(value);
    else if (type === 'batch-attestation') {
      this.#kind = 'attestation';
      const how = this.#how(Buffer.from(canonicalJson(value)));
      this.#attested(verifyAttestationValue(value, this.#options.keys, how));
    } else this.#refuse('expected a PDF, an attestation or a proof');
  }

  #proof(value: unknown): void {
    this.#kind = 'proof';
    const { attestation: within, event } = value as Partial<SubjectProof>;
    const how = this.#how(Buffer.from(canonicalJson(within ?? null)));
    const proven = verifyProofValue(value, this.#options.keys, how);
    if (proven.ok) {
      this.#proven = proven.value;
      this.#attestation = proven.value.attestation;
      this.#checked.push('attestation', `event ${proven.value.seq}`, 'result');
      const { anchors } = this.#options;
      if (anchors && anchors.hashes.get(proven.value.seq) !== event?.hash) {
        this.#refuse('event: not in the export of the chain');
      }
    } else this.#refuse(proven.reason);
  }

  /** An attestation that the export names needs no other word of when it was made. */
  #how(text: Uint8Array): VerifyHow {
    const { anchors } = this.#options;
    if (anchors === undefined) return {};
    const isAnchored = anchors.attestations.has(sha256Hex(text));
    if (isAnchored) this.#checked.push('named by the chain');
    else this.#refuse('attestation: no entry of the export names it');
    return { isAnchored };
  }

  #attested(checked: Checked<Attestation>): Attestation | undefined {
    if (!checked.ok) {
      this.#refuse(`attestation: ${checked.reason}`);
      return undefined;
    }
    this.#attestation = checked.value;
    this.#checked.push('attestation');
    return checked.value;
  }

  #files(attestation: Attestation): void {
    for (const [name, digest] of Object.entries(this.#options.digests)) {
      if (digest === undefined) continue;
      const member = name as keyof VerifyOptions['digests'];
      if (attestation[member] === digest) this.#checked.push(member);
      else this.#refuse(`${member}: the file is not the attested one`);
    }
  }

  /** The first reason counts. */
  #refuse(reason: string): void {
    this.#reason ??= reason;
  }
}
