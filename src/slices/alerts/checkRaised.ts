/**
 * Whether every hit that was signed has its alert. The outbox says what to look at, and whoever can
 * write the database can take its rows away, or move the place of the subscriber: so the chain is
 * compared with itself, screenings and chunks with the alerts that were raised of them.
 */
import {
  type AuditStore,
  type CommitEvidence,
  type EntryContext,
  entry,
  entryPages,
  type JsonRecord,
  type KeyRing,
  type SealedEvent,
  verifiedEvent,
} from '#core/audit';
import { chainOf, PLATFORM_CHAIN, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { storedVerdict } from '#slices/screening';
import { alertIdOf, TYPOLOGY_OF } from './alert.ts';
import { draftOf, saysClear } from './hitReviews.ts';
import { isWanted } from './raiseAlerts.ts';
import type { AlertSettings } from './settings.ts';
import type { AlertCause } from './tables.ts';

const BEGIN_TARGET = 'subscriber:alerts';
const PAGE_EVENTS = 500;

/** Notes in the platform's chain that alerts are raised from now on, once. */
export async function noteBegin(
  ports: EntryContext & {
    readonly commit: CommitEvidence;
    readonly storage: { readonly audit: Pick<AuditStore, 'lastEntries'> };
  },
): Promise<void> {
  const [noted] = await ports.storage.audit.lastEntries({
    chainId: PLATFORM_CHAIN,
    targets: [BEGIN_TARGET],
  });
  if (noted !== undefined) return;
  await ports.commit(PLATFORM_CHAIN, {
    bus: [],
    changes: [],
    events: [
      entry(ports, { action: 'aml.alerts.begun', actor: 'system:alerts', target: BEGIN_TARGET }),
    ],
  });
}

/** What the check reads. */
export interface RaisedPorts {
  readonly audit: Pick<AuditStore, 'lastEntries' | 'readEvents'>;
  readonly keyRing: KeyRing;
  readonly settingsOf: (tenantId: TenantId) => Promise<Pick<AlertSettings, 'raisedFor'>>;
}

/** What one tenant's check came to. */
export interface RaisedCheck {
  /** Screenings with hits, and chunks with matches, that were compared. */
  readonly count: number;
  readonly refusals: readonly string[];
}

/**
 * What is missing, in words. It looks at what was signed under the settings of today, since alerts
 * are raised at all, and before `until`: what came later may still wait for its turn.
 */
export async function checkRaised(
  ports: RaisedPorts,
  of: { readonly tenantId: TenantId; readonly until: EpochMs },
): Promise<RaisedCheck> {
  const { tenantId, until } = of;
  const begun = await beginOf(ports);
  if (begun === undefined) return { count: 0, refusals: [] };
  const settings = await ports.settingsOf(tenantId);
  const raised = await raisedOf(ports, tenantId);
  const sanctions = new Set<string>();
  const refusals: string[] = [];
  let count = 0;
  for await (const event of eventsSince(ports, tenantId)) {
    if (event.action === 'aml.batch.created') noteKind(sanctions, event);
    if (event.occurredAt < begun || event.occurredAt >= until) continue;
    const asked = askedOf(event, settings, sanctions);
    if (asked === undefined) continue;
    count += 1;
    if (
      verifiedEvent(event, { chainId: chainOf(tenantId), keyRing: ports.keyRing }) === undefined
    ) {
      refusals.push(`event seq ${event.seq}: it is not what was signed`);
      continue;
    }
    const refusal = refusalOf(tenantId, asked, raised);
    if (refusal !== undefined) refusals.push(refusal);
  }
  return { count, refusals };
}

/** When alerts began to be raised; undefined where no worker has begun. */
async function beginOf({ audit, keyRing }: RaisedPorts): Promise<EpochMs | undefined> {
  const ask = { chainId: PLATFORM_CHAIN, targets: [BEGIN_TARGET] };
  const [event] = await audit.lastEntries(ask);
  const isSigned = event && verifiedEvent(event, { chainId: PLATFORM_CHAIN, keyRing });
  return isSigned && event.occurredAt;
}

/** Alerts that signed entries raised: their ids, and how many of each batch by their ordinals. */
interface RaisedAlerts {
  readonly ids: ReadonlySet<string>;
  /** Ordinals of subjects, by batch. */
  readonly ordinals: ReadonlyMap<string, ReadonlySet<number>>;
}

async function raisedOf(
  { audit, keyRing }: RaisedPorts,
  tenantId: TenantId,
): Promise<RaisedAlerts> {
  const chainId = chainOf(tenantId);
  const ids = new Set<string>();
  const ordinals = new Map<string, Set<number>>();
  const range = { action: 'aml.alert.created', chainId, fromSeq: 1 };
  for await (const page of entryPages(audit, range)) {
    for (const event of page) {
      const members = verifiedEvent(event, { chainId, keyRing });
      const cause = members?.cause as AlertCause | undefined;
      if (cause === undefined) continue;
      ids.add(alertIdOf(tenantId, cause));
      if (cause.kind !== 'batch_subject') continue;
      const own = ordinals.get(cause.batchId) ?? new Set();
      ordinals.set(cause.batchId, own.add(cause.ordinal));
    }
  }
  return { ids, ordinals };
}

/** All events since the tenant's settings or its policy last changed: both say what is raised. */
async function* eventsSince(
  { audit }: RaisedPorts,
  tenantId: TenantId,
): AsyncGenerator<SealedEvent> {
  const chainId = chainOf(tenantId);
  const [last] = await audit.lastEntries({ chainId, targets: [`tenant:${tenantId}`] });
  let fromSeq = last?.seq ?? 1;
  const publications = { action: 'SANCTIONS_POLICY_PUBLISHED', chainId, fromSeq };
  for await (const page of entryPages(audit, publications)) {
    fromSeq = page.at(-1)?.seq ?? fromSeq;
  }
  for (;;) {
    const page = await audit.readEvents({ chainId, fromSeq, limit: PAGE_EVENTS });
    yield* page;
    if (page.length < PAGE_EVENTS) return;
    fromSeq = (page.at(-1)?.seq ?? fromSeq) + 1;
  }
}

/** Batches whose subjects are screenings of their own, which raise alerts of their own. */
function noteKind(sanctions: Set<string>, { body }: SealedEvent): void {
  const { kind, target } = JSON.parse(body) as JsonRecord;
  if (kind === 'sanctions') sanctions.add(String(target));
}

/** What a signed event asks for. */
type Asked =
  | { readonly cause: AlertCause }
  | {
      readonly batchId: string;
      readonly first: number;
      readonly subjects: number;
      readonly matches: number;
    };

/** Undefined: no alert. Most events say so in their text, and are not parsed. */
function askedOf(
  event: SealedEvent,
  settings: Pick<AlertSettings, 'raisedFor'>,
  sanctions: ReadonlySet<string>,
): Asked | undefined {
  if (event.type === 'screening') {
    const draft = saysClear(event, event.screeningId ?? '')
      ? undefined
      : draftOf(storedVerdict(event));
    return draft && isWanted(settings, draft.typology) ? { cause: draft.cause } : undefined;
  }
  // Figures of a chunk say how many alerts there are where all are wanted, and only there.
  const isAll = Object.values(TYPOLOGY_OF).every((typology) => isWanted(settings, typology));
  if (event.action !== 'aml.batch.chunk.screened' || !isAll) return undefined;
  const chunk = JSON.parse(event.body) as JsonRecord;
  const matches = Number((chunk.by_decision as JsonRecord | undefined)?.match ?? 0);
  const batchId = String(chunk.target);
  if (matches === 0 || sanctions.has(batchId)) return undefined;
  return { batchId, first: Number(chunk.first_ordinal), matches, subjects: Number(chunk.subjects) };
}

function refusalOf(
  tenantId: TenantId,
  asked: Asked,
  { ids, ordinals }: RaisedAlerts,
): string | undefined {
  if ('cause' in asked) {
    const { cause } = asked;
    if (ids.has(alertIdOf(tenantId, cause)) || cause.kind !== 'screening') return undefined;
    return `screening ${cause.screeningId}: it has hits, and no alert was raised`;
  }
  const { batchId, first, matches, subjects } = asked;
  const own = [...(ordinals.get(batchId) ?? [])];
  const found = own.filter((ordinal) => ordinal >= first && ordinal < first + subjects).length;
  if (found >= matches) return undefined;
  return `batch ${batchId}: of ${matches} matches from subject ${first} on ${found} have alerts`;
}
