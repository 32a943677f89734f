/**
 * Makes the report of a screening: its event as it was signed, what the lists said of the hits,
 * what people decided, and the place in the chain, all in one signed document that a thread draws.
 *
 * The file has what was searched for, so it is sealed and named by no record: the sweep of blobs
 * takes it a day later. The same content asked for again within that day is the same file.
 */
import {
  type Actor,
  type AuditStore,
  type ChainHead,
  type CommitEvidence,
  type EntryContext,
  entry,
  eventText,
  type JsonRecord,
  type KeyRing,
  lookSettled,
  type SealedEvent,
  type SettlingAudit,
  type SignedEvents,
} from '#core/audit';
import { type BlobStore, ORPHAN_AGE_MS, putSealed, type SealedUnder } from '#core/blobs';
import { type ChainId, chainOf, DomainError, type ScreeningId, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { type Signer, sha256Hex } from '#platform/crypto';
import type { Locale } from '#platform/locales';
import { type AlertDeskPorts, alertOfScreening, hitState } from '#slices/alerts';
import { FACTS_UNKNOWN, type FactsOf } from '#slices/lists';
import { factsOfHits, isPastRetention, storedVerdict } from '#slices/screening';
import { REPORT_TOKENS } from './limits.ts';
import {
  type ReportedHit,
  refuseHeld,
  reportText,
  type ScreeningReport,
  signFile,
  signStatement,
} from './reportDocument.ts';

export interface ReportPorts extends EntryContext, Pick<AlertDeskPorts, 'signed' | 'tables'> {
  readonly audit: Pick<AuditStore, 'findByScreening' | 'findBySeq' | 'head' | 'latestCheckpoint'> &
    SettlingAudit;
  readonly blobs: Pick<BlobStore, 'put' | 'size'>;
  readonly commit: CommitEvidence;
  readonly draw: (text: string, by: ReportCaller) => Promise<Uint8Array>;
  readonly events: Pick<SignedEvents, 'read'>;
  readonly factsOf: FactsOf;
  readonly keyRing: KeyRing;
  readonly sealedUnder: (tenantId: TenantId) => SealedUnder;
  readonly signer: Signer;
  readonly tenantName: (tenantId: TenantId) => Promise<string>;
}

/** Who waits for it. */
export interface ReportCaller {
  readonly turn: string;
  readonly signal: AbortSignal;
  /** Takes so many tokens of the rate limits more, or throws `rate-limited`. */
  readonly charge?: (tokens: number) => Promise<void>;
}

export interface ReportAsk {
  readonly tenantId: TenantId;
  readonly screeningId: string;
  readonly lang: Locale;
  readonly actor: Actor;
  readonly ip?: string;
  /** Refuses one who may not see a screening that this actor asked for. */
  readonly mayRead?: (requestedBy: string) => boolean;
}

/** A report that was made, as a link leads to it. */
export interface MadeReport {
  readonly blob: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly isErased: boolean;
  readonly seq: number;
}

/** Reports of a process that are known still to lie where they were put. */
const KNOWN_MAX = 500;
/** A blob that nothing names is removed after a day: half of it leaves room for the link. */
const KNOWN_MS = ORPHAN_AGE_MS / 2;

/** One for the process. */
export class ScreeningReports {
  readonly #ports: ReportPorts;
  readonly #known = new Map<string, { readonly at: EpochMs; readonly made: MadeReport }>();

  constructor(ports: ReportPorts) {
    this.#ports = ports;
  }

  /**
   * Makes it, or finds the one of the same content, and writes who exported it. Throws `not-found`,
   * `evidence-altered`, `alert-altered`, `rate-limited`.
   */
  async export(ask: ReportAsk, by: ReportCaller): Promise<MadeReport> {
    const content = await reportContent(this.#ports, ask, by);
    const { checkpoint, issued: _, ...lasting } = content.statement;
    const key = sha256Hex(canonicalJson([lasting, checkpoint !== null, content.isErased]));
    const known = this.#known.get(key);
    const now = this.#ports.clock.now();
    const isThere =
      known !== undefined &&
      now - known.at < KNOWN_MS &&
      (await this.#ports.blobs.size(known.made.blob)) !== undefined;
    const made = isThere ? known.made : await this.#make(content, ask.tenantId, by);
    if (!isThere) this.#know(key, { at: now, made });
    await this.#ports.commit(chainOf(ask.tenantId), {
      bus: [],
      changes: [],
      events: [exportedEntry(this.#ports, ask, made.sha256)],
    });
    return made;
  }

  async #make(content: ReportContent, tenantId: TenantId, by: ReportCaller): Promise<MadeReport> {
    const { blobs, draw, random, sealedUnder } = this.#ports;
    await by.charge?.(REPORT_TOKENS);
    const report = signedReport(this.#ports, content);
    const pdf = await draw(reportText(report), by);
    const blob = await putSealed({ blobs, random }, pdf, sealedUnder(tenantId));
    const { isErased, statement } = content;
    const { event_seq: seq } = statement;
    return { blob, bytes: pdf.length, isErased, seq, sha256: sha256Hex(pdf) };
  }

  #know(key: string, one: { readonly at: EpochMs; readonly made: MadeReport }): void {
    this.#known.delete(key);
    this.#known.set(key, one);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
  }
}

type Unsigned = Omit<ScreeningReport['report'], 'signature'>;

interface ReportContent {
  readonly event: SealedEvent;
  readonly statement: Unsigned;
  readonly isErased: boolean;
}

/** The document and its file, for a command: nothing is stored. */
export async function reportFile(
  ports: Omit<ReportPorts, 'blobs' | 'sealedUnder'>,
  ask: ReportAsk,
  by: ReportCaller,
): Promise<{ readonly pdf: Uint8Array; readonly signature: string; readonly sha256: string }> {
  const content = await reportContent(ports, ask, by);
  const pdf = await ports.draw(reportText(signedReport(ports, content)), by);
  const sha256 = sha256Hex(pdf);
  await ports.commit(chainOf(ask.tenantId), {
    bus: [],
    changes: [],
    events: [exportedEntry(ports, ask, sha256)],
  });
  return { pdf, sha256, signature: signFile(pdf, ports.signer) };
}

const signedReport = (
  { signer }: Pick<ReportPorts, 'signer'>,
  { event, statement }: ReportContent,
): ScreeningReport => ({
  event: JSON.parse(eventText(event)) as JsonRecord,
  report: signStatement(statement, signer),
});

async function reportContent(
  ports: Omit<ReportPorts, 'blobs' | 'draw' | 'sealedUnder'>,
  { lang, mayRead, screeningId, tenantId }: ReportAsk,
  by: ReportCaller,
): Promise<ReportContent> {
  const chainId = chainOf(tenantId);
  const event = await ports.audit.findByScreening(chainId, screeningId as ScreeningId);
  if (event === undefined || isPastRetention(event, ports.clock.now())) {
    throw new DomainError('not-found');
  }
  const members = await ports.events.read(chainId, event);
  if (members.screening_id !== screeningId) {
    const detail = `screening ${screeningId}: another event stands in its place`;
    throw new DomainError('evidence-altered', { detail });
  }
  if (mayRead?.(String(members.requested_by)) === false) throw new DomainError('not-found');
  const checkpoint = await ports.audit.latestCheckpoint(chainId);
  const covers = checkpoint !== undefined && checkpoint.seq >= event.seq;
  const head = await signedHead(ports, chainId);
  const statement: Unsigned = {
    checkpoint: covers ? checkpoint : null,
    event_hash: event.hash,
    event_seq: event.seq,
    hits: await reportedHits(ports, { event, screeningId, tenantId }, by),
    issued: { at: toTimestamp(ports.clock.now()), hash: head.hash, seq: head.seq },
    key_id: ports.signer.keyId,
    lang,
    screening_id: screeningId,
    tenant_id: tenantId,
    tenant_name: await ports.tenantName(tenantId),
    type: 'screening-report',
    version: 1,
  };
  const reason = refuseHeld(statement, ports.keyRing);
  if (reason !== undefined) {
    throw new DomainError('evidence-altered', { detail: `checkpoint of ${chainId}: ${reason}` });
  }
  return { event, isErased: event.open === undefined, statement };
}

/** The head of the chain, whose event was signed: a report lends it a signature of its own. */
async function signedHead(
  { audit, events }: Pick<ReportPorts, 'audit' | 'events'>,
  chainId: ChainId,
): Promise<ChainHead> {
  const { found, refusal } = await lookSettled(audit, async () => {
    const head = await audit.head(chainId);
    const last = await audit.findBySeq(chainId, head.seq);
    const isOurs = last?.hash === head.hash;
    return { chainId, found: { head, last }, refusal: isOurs ? undefined : 'no event of it' };
  });
  const { head, last } = found;
  if (last === undefined || refusal !== undefined) {
    const detail = `chain ${chainId}: its head, seq ${head.seq}, is no event of it`;
    throw new DomainError('evidence-altered', { detail });
  }
  await events.read(chainId, last);
  return head;
}

async function reportedHits(
  ports: Pick<ReportPorts, 'factsOf' | 'signed' | 'tables'>,
  of: {
    readonly event: SealedEvent;
    readonly screeningId: string;
    readonly tenantId: TenantId;
  },
  by: ReportCaller,
): Promise<readonly ReportedHit[]> {
  const verdict = storedVerdict(of.event);
  const facts = await factsOfHits(ports.factsOf, verdict, by);
  const alert = await alertOfScreening(ports, of);
  if (alert !== undefined && !(await ports.signed.isAsSigned(alert))) {
    throw new DomainError('alert-altered');
  }
  return verdict.hits.map(({ ftm_id }, at) => {
    const {
      at: decidedAt,
      by: decidedBy,
      confirmedBy,
      reasonCode,
      status,
    } = hitState(alert, ftm_id);
    return {
      facts: facts[at] ?? FACTS_UNKNOWN,
      ftm_id,
      review: {
        confirmed_by: confirmedBy ?? null,
        decided_at: decidedAt === undefined ? null : toTimestamp(decidedAt),
        decided_by: decidedBy ?? null,
        reason_code: reasonCode ?? null,
        status,
      },
    };
  });
}

const exportedEntry = (
  context: EntryContext,
  { actor, ip, lang, screeningId }: ReportAsk,
  sha256: string,
) =>
  entry(context, {
    action: 'SCREENING_EXPORTED',
    actor,
    members: { lang, report_sha256: sha256 },
    target: `screening:${screeningId}`,
    ...(ip !== undefined && { ip }),
  });
