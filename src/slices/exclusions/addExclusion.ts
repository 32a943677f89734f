/**
 * A person decides that a subject is not a listed party. What is excluded was found by a screening:
 * its signed event has the subject, and the entries that the hit stands for. Each entry gets an
 * exclusion of its own, by what identifies it now; entries that join the hit later are hits.
 */
import { type IdempotencyRecord, overwrite } from '#core/audit';
import { type DataKey, dataKeyTable } from '#core/blobs';
import { DomainError, type TableChange, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import type { ListVersion } from '#slices/lists';
import {
  EXCLUSIONS_PER_SUBJECT_MAX,
  type Hit,
  type NormalizedQuery,
  signedScreening,
  sourceOf,
  subjectDigestOf,
  subjectKeyOf,
} from '#slices/screening';
import { entityDigest } from './entityDigest.ts';
import { isOpen, stateAt } from './exclusion.ts';
import { EXCLUSIONS_MAX, REASON_CHARS_MIN } from './limits.ts';
import type { ExclusionActor, ExclusionPolicy, ExclusionPorts, ExclusionStep } from './ports.ts';
import { commitStep, stepOf } from './stepOf.ts';
import { type ExclusionRecord, exclusionTable, type ReasonCode } from './tables.ts';

const DAY_MS = 24 * 3_600_000;

/** What a person says. */
export interface AddExclusion {
  readonly by: ExclusionActor;
  readonly screeningId: string;
  readonly ftmId: string;
  readonly reasonCode: ReasonCode;
  readonly reason: string;
  /** Absent: as long as the policy allows. */
  readonly expiresAt?: EpochMs;
  readonly subjectRef?: string;
  /** The second person, where both said so already. */
  readonly approvedBy?: string;
}

/**
 * The exclusions of one hit, active, or proposed to a second person. Throws `not-found`,
 * `evidence-altered`, `exclusion-invalid`, `person-required`, `state-conflict`.
 */
export function addExclusion(
  ports: ExclusionPorts,
  ask: AddExclusion,
  idempotency?: (records: readonly ExclusionRecord[]) => IdempotencyRecord,
): Promise<readonly ExclusionRecord[]> {
  return overwrite(async () =>
    commitStep(ports, ask.by.tenantId, await addingStep(ports, ask), idempotency),
  );
}

/** The same, for the commit of a decision about the hit. */
export async function addingStep(ports: ExclusionPorts, ask: AddExclusion): Promise<ExclusionStep> {
  const { by, ftmId } = ask;
  const { tenantId } = by;
  const policy = await ports.policyOf({ tenantId });
  const now = ports.clock.now();
  const expiresAt = checkWords(ask, policy, now);
  const { query, verdict } = await signedScreening(ports, { ...ask, tenantId });
  const hit = verdict.hits.find(({ ftm_id }) => ftm_id === ftmId);
  if (hit === undefined) throw new DomainError('not-found', { detail: 'no such hit' });
  if (query === undefined) throw refusal('/screening_id', 'its subject was erased');
  const isForTwo = policy.fourEyes === 'all' || entriesOf(hit).some(isOfSanctions);
  if (isForTwo && !by.isPerson) throw new DomainError('person-required');
  const { changes, key } = await keyOf(ports, tenantId);
  const secret = key.secret.toString('base64');
  const subjectKey = subjectKeyOf(secret, query);
  const known = await openOf(ports, { subjectKey, tenantId });
  await requireRoom(ports, tenantId, known.length + entriesOf(hit).length);
  const digests = await digestsOf(ports, tenantId, { entries: entriesOf(hit), verdict });
  const isActive = !isForTwo || ask.approvedBy !== undefined;
  const records = entriesOf(hit).map((one): ExclusionRecord => {
    requireNone(known, one);
    return {
      action: 'SANCTIONS_EXCLUSION_ADDED',
      ...(ask.approvedBy !== undefined && { approvedBy: ask.approvedBy }),
      createdAt: now,
      createdBy: by.actor,
      entityDigest: digests.get(nameOf(one)) ?? '',
      exclusionId: uuidV7(now, ports.random),
      expiresAt,
      ftmId: one.ftmId,
      reason: ask.reason,
      reasonCode: ask.reasonCode,
      score: hit.directScore,
      screeningId: ask.screeningId,
      source: one.source,
      state: isActive ? 'active' : 'proposed',
      subjectDigest: subjectDigestOf(secret, query as NormalizedQuery),
      subjectKey,
      ...(ask.subjectRef !== undefined && { subjectRef: ask.subjectRef }),
      tenantId,
      typology: one.typology ?? hit.typology ?? '',
      version: 1,
    };
  });
  const checked = isActive ? await newlyChecked(ports, tenantId, records) : {};
  return stepOf(ports, {
    action: 'SANCTIONS_EXCLUSION_ADDED',
    beside: changes,
    by,
    ...(Object.keys(checked).length > 0 && { checked }),
    members: { reason_code: ask.reasonCode, screening_id: ask.screeningId },
    steps: records.map((after) => ({ after })),
  });
}

/** An entry that a hit stands for. */
interface HitEntry {
  readonly source: string;
  readonly ftmId: string;
  readonly typology: string | null;
}

const entriesOf = (hit: Hit): readonly HitEntry[] => [
  { ftmId: hit.ftm_id, source: sourceOf(hit), typology: hit.typology },
  ...(hit.merged ?? [])
    .filter(({ typology }) => typology !== null)
    .map(({ ftm_id, source, typology }) => ({ ftmId: ftm_id, source, typology })),
];

const nameOf = ({ ftmId, source }: Pick<HitEntry, 'ftmId' | 'source'>): string =>
  `${source} ${ftmId}`;
const isOfSanctions = ({ typology }: Pick<HitEntry, 'typology'>): boolean =>
  typology === 'MATCH_DIRECT_SANCTIONS';

/** Throws `exclusion-invalid`; answers when it is to end. */
function checkWords(
  { expiresAt, reason }: AddExclusion,
  { daysMax, isEnabled }: ExclusionPolicy,
  now: EpochMs,
): EpochMs {
  if (!isEnabled) throw refusal('', 'the policy in force allows no exclusions');
  if (reason.trim().length < REASON_CHARS_MIN) {
    throw refusal('/reason', `expected ${REASON_CHARS_MIN} characters or more`);
  }
  const latest = (now + daysMax * DAY_MS) as EpochMs;
  const ends = expiresAt ?? latest;
  if (ends > now && ends <= latest) return ends;
  throw refusal('/expires_at', `expected a time from now on, at most ${daysMax} days from now`);
}

function refusal(pointer: string, detail: string): DomainError {
  const violations = [{ code: 'exclusion-invalid', detail, pointer }];
  return new DomainError('exclusion-invalid', { detail, violations });
}

/** The key under which a tenant's subjects are named: made with the first exclusion. */
async function keyOf(
  { dataKeys }: ExclusionPorts,
  tenantId: TenantId,
): Promise<{ readonly key: DataKey; readonly changes: readonly TableChange[] }> {
  const named = subjectKeyName(tenantId);
  const key = await dataKeys.find(named);
  if (key !== undefined) return { changes: [], key };
  const made = dataKeys.make(named, { seeds: [] });
  return { changes: [dataKeyTable.insert(made.record)], key: made.key };
}

/** Name of the data key of a tenant's exclusions. */
export const subjectKeyName = (tenantId: TenantId) => ({
  keyId: `exclusions/${tenantId}`,
  tenantId,
});

/** Exclusions of a subject that are proposed or hold. */
async function openOf(
  { clock, tables }: Pick<ExclusionPorts, 'clock' | 'tables'>,
  equal: { readonly tenantId: TenantId; readonly subjectKey: string },
): Promise<readonly ExclusionRecord[]> {
  const limit = EXCLUSIONS_PER_SUBJECT_MAX * 2;
  const ask = { direction: 'descending', equal, index: 'bySubject', limit } as const;
  const { records } = await tables.page(exclusionTable, ask);
  return records.filter((one) => isOpen({ state: stateAt(one, clock.now()) }));
}

async function requireRoom(
  { tables }: Pick<ExclusionPorts, 'tables'>,
  tenantId: TenantId,
  ofSubject: number,
): Promise<void> {
  if (ofSubject > EXCLUSIONS_PER_SUBJECT_MAX) {
    const detail = `expected at most ${EXCLUSIONS_PER_SUBJECT_MAX} exclusions of one subject`;
    throw refusal('/ftm_id', detail);
  }
  let count = 0;
  for (const state of ['proposed', 'active']) {
    let after: readonly (string | number | boolean)[] | undefined;
    do {
      const page = await tables.page(exclusionTable, {
        equal: { state, tenantId },
        index: 'byState',
        limit: 1_000,
        ...(after !== undefined && { after }),
      });
      count += page.records.length;
      after = page.next;
    } while (after !== undefined && count < EXCLUSIONS_MAX);
  }
  if (count >= EXCLUSIONS_MAX) {
    throw refusal('', `expected at most ${EXCLUSIONS_MAX} open exclusions of a tenant`);
  }
}

function requireNone(known: readonly ExclusionRecord[], one: HitEntry): void {
  if (!known.some((other) => nameOf(other) === nameOf(one))) return;
  const detail = `${nameOf(one)}: the subject has an exclusion of this entry already`;
  throw new DomainError('state-conflict', { detail });
}

/**
 * What identifies each entry, as the person saw it. Throws `state-conflict` where the list in force
 * says otherwise by now.
 */
async function digestsOf(
  ports: ExclusionPorts,
  tenantId: TenantId,
  { entries, verdict }: { entries: readonly HitEntry[]; verdict: VerdictLists },
): Promise<ReadonlyMap<string, string>> {
  const seen = entries.flatMap(({ ftmId, source }) => {
    const reference = verdict.references.find((one) => one.source === source);
    return reference ? [{ ...reference, id: ftmId }] : [];
  });
  const by = { turn: tenantId };
  const entities = await ports.entitiesOf(seen, by);
  const digests = new Map(
    seen.flatMap(({ id, source }, place) => {
      const entity = entities[place];
      return entity ? [[nameOf({ ftmId: id, source }), entityDigest(entity)] as const] : [];
    }),
  );
  for (const one of entries) {
    const now = await digestInForce(ports, tenantId, one);
    if (now === undefined || now.digest !== digests.get(nameOf(one))) {
      const detail = `${nameOf(one)}: the list has changed since; screen the subject again`;
      throw new DomainError('state-conflict', { detail });
    }
  }
  return digests;
}

type VerdictLists = Pick<Awaited<ReturnType<typeof signedScreening>>['verdict'], 'references'>;

/** What identifies an entry in the list in force; undefined where it is there no more. */
export async function digestInForce(
  ports: Pick<ExclusionPorts, 'entitiesOf' | 'inForce'>,
  tenantId: TenantId,
  { ftmId, source }: Pick<HitEntry, 'ftmId' | 'source'>,
): Promise<{ readonly digest: string; readonly version: ListVersion } | undefined> {
  const version = await ports.inForce(source);
  if (version === undefined) return undefined;
  const entry = { ...listedIn(version), id: ftmId };
  const [entity] = await ports.entitiesOf([entry], { turn: tenantId });
  return entity && { digest: entityDigest(entity), version };
}

/** A version, as entries of it are named. */
export const listedIn = (version: ListVersion) => ({
  content_digest: version.contentDigest,
  list_digest: version.listDigest,
  list_version: version.listVersion,
  source: version.sourceId,
});

/**
 * Lists of which these are the only exclusions: they were compared with the version in force just
 * now. Of any other list the next comparison covers all at once (endExclusions.ts).
 */
export async function newlyChecked(
  ports: ExclusionPorts,
  tenantId: TenantId,
  records: readonly ExclusionRecord[],
): Promise<Readonly<Record<string, string>>> {
  const own = new Set(records.map(({ exclusionId }) => exclusionId));
  const checked: Record<string, string> = {};
  for (const source of new Set(records.map((record) => record.source))) {
    const equal = { state: 'active', tenantId };
    const { records: held } = await ports.tables.page(exclusionTable, {
      equal,
      index: 'byState',
      limit: 1_000,
    });
    const isAlone = !held.some((one) => one.source === source && !own.has(one.exclusionId));
    const version = isAlone && held.length < 1_000 ? await ports.inForce(source) : undefined;
    if (version !== undefined) checked[source] = version.contentDigest;
  }
  return checked;
}
