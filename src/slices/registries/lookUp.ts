/**
 * A company is looked up: in what the tenant was answered lately, else where its registry is asked.
 * Each lookup is a record with its answer sealed under a key of its own, and an entry.
 */
import {
  type Actor,
  type Commit,
  type EventDraft,
  entry,
  type IdempotencyRecord,
  type SealedEvent,
} from '#core/audit';
import { dataKeyTable, openSealed, putSealed } from '#core/blobs';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { foldText } from '#platform/foldText';
import { uuidV7 } from '#platform/random';
import type { Company } from './company.ts';
import { type RegistryName, readIdentifier } from './identifiers.ts';
import type { LookupPorts, RegistryQuery } from './ports.ts';
import { findLookup, lookupTarget, recordDigest } from './signedRegistries.ts';
import { type Match, type RegistryLookup, registryLookupTable } from './tables.ts';

const HOUR_MS = 3_600_000;
const LABEL = 'registry-answer';

/** What is looked for; one of the two names. */
export interface LookupAsk {
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly ip?: string;
  readonly registry: RegistryName;
  readonly identifier?: string;
  readonly name?: string;
  readonly maxAgeHours: number;
  readonly caseId?: string;
}

/** What a caller is answered. */
export interface LookupAnswer {
  readonly match: Match;
  readonly company: Company | null;
  readonly candidates: readonly Company[];
  readonly warnings: readonly string[];
}

/** A lookup that is ready to be committed. */
export interface PreparedLookup {
  readonly lookup: RegistryLookup;
  readonly answer: LookupAnswer;
  /** Id of the entry that tells of it. */
  readonly eventId: EventDraft['eventId'];
  readonly commit: Pick<Commit, 'changes' | 'events'>;
}

/** Throws `identifier-invalid`, `registry-not-configured`, `registry-unavailable`. */
export async function prepareLookup(ports: LookupPorts, ask: LookupAsk): Promise<PreparedLookup> {
  const { identifier: given, name = '', registry, tenantId } = ask;
  const identifier = given === undefined ? undefined : readIdentifier(registry, given);
  const query: RegistryQuery =
    identifier === undefined ? { name } : { identifier: identifier.value };
  const queryDigest = sha256Hex(
    canonicalJson({
      ...('name' in query ? { name: foldText(query.name) } : query),
      registry,
      tenant: tenantId,
    }),
  );
  const known = await knownAnswer(ports, ask, queryDigest);
  const said = known ?? (await askRegistry(ports, ask, query));
  const warnings = identifier?.warnings ?? [];
  return prepared(ports, ask, { ...said, answer: { ...said.answer, warnings }, queryDigest });
}

/** Commits a lookup that stands by itself. */
export async function commitLookup(
  ports: LookupPorts,
  { commit, lookup }: PreparedLookup,
  kept: (sealed: readonly SealedEvent[]) => IdempotencyRecord | undefined,
): Promise<void> {
  await ports.commit(chainOf(lookup.tenantId), { ...commit, bus: [], idempotency: kept });
}

type Said = Pick<RegistryLookup, 'answeredAt' | 'asOf' | 'source'> & {
  readonly answer: LookupAnswer;
};

async function askRegistry(
  ports: LookupPorts,
  { registry, tenantId }: LookupAsk,
  query: RegistryQuery,
): Promise<Said> {
  const registered = await ports.registryFor(registry, tenantId);
  if (registered === undefined) {
    throw new DomainError('registry-not-configured', { detail: `nothing answers for ${registry}` });
  }
  const { asOf, companies, source } = await registered.find(query);
  const answeredAt = ports.clock.now();
  return { answer: answerOf(query, companies), answeredAt, asOf: asOf as EpochMs, source };
}

/** One company of that identifier, or the only one of just that name, is the one that is meant. */
function answerOf(query: RegistryQuery, companies: readonly Company[]): LookupAnswer {
  const [first] = companies;
  if (first === undefined) return { candidates: [], company: null, match: 'none', warnings: [] };
  const same = companies.filter((one) => 'identifier' in query || isNamed(one, query.name));
  const [only] = same;
  return only !== undefined && same.length === 1
    ? { candidates: [], company: only, match: 'exact', warnings: [] }
    : { candidates: companies, company: null, match: 'candidates', warnings: [] };
}

/** Whether it has just this name, in one of its spellings; a name without a letter is none. */
export const isNamed = (
  { legal_name, legal_name_ar, trade_name }: Company,
  name: string,
): boolean => {
  const folded = foldText(name);
  const names = [legal_name, legal_name_ar, trade_name];
  return folded !== '' && names.some((one) => foldText(one ?? '') === folded);
};

/** What the tenant was answered lately; undefined where that is too old, or was erased. */
async function knownAnswer(
  ports: LookupPorts,
  { maxAgeHours, registry, tenantId }: LookupAsk,
  queryDigest: string,
): Promise<Said | undefined> {
  const { records } = await ports.tables.page(registryLookupTable, {
    direction: 'descending',
    equal: { queryDigest, registry, tenantId },
    index: 'byQuery',
    limit: 1,
  });
  const [row] = records;
  if (row === undefined) return undefined;
  if (ports.clock.now() - row.answeredAt > maxAgeHours * HOUR_MS || maxAgeHours === 0) {
    return undefined;
  }
  const lookup = await findLookup(ports, row);
  const answer = lookup && (await openAnswer(ports, lookup));
  if (lookup === undefined || answer === undefined) return undefined;
  const { answeredAt, asOf } = lookup;
  return { answer, answeredAt, asOf, source: 'cache' };
}

/** Undefined once its key was destroyed. Throws `blob-damaged`. */
export async function openAnswer(
  { blobs, dataKeys }: Pick<LookupPorts, 'blobs' | 'dataKeys'>,
  { answerSha256, blob, lookupId, tenantId }: RegistryLookup,
): Promise<LookupAnswer | undefined> {
  const key = await dataKeys.find({ keyId: lookupKeyId(lookupId), tenantId });
  if (key === undefined) return undefined;
  const bytes = await blobs.get(blob);
  if (bytes === undefined) {
    throw new DomainError('blob-damaged', { detail: 'the answer of a registry is gone' });
  }
  const text = (await openSealed(bytes, { label: LABEL, secret: key.secret })).toString();
  if (sha256Hex(text) === answerSha256) return JSON.parse(text);
  throw new DomainError('blob-damaged', { detail: 'the answer of a registry is another one' });
}

/** Id of the data key under which the answer is sealed. */
export const lookupKeyId = (lookupId: string): string => `registry/${lookupId}`;

async function prepared(
  ports: LookupPorts,
  { actor, caseId, ip, registry, tenantId }: LookupAsk,
  said: Said & Pick<RegistryLookup, 'queryDigest'>,
): Promise<PreparedLookup> {
  const { answer, answeredAt, asOf, queryDigest, source } = said;
  const createdAt = ports.clock.now();
  const lookupId = uuidV7(createdAt, ports.random);
  const made = ports.dataKeys.make({ keyId: lookupKeyId(lookupId), tenantId }, { seeds: [] });
  const text = canonicalJson(answer as never);
  const blob = await putSealed(ports, Buffer.from(text), {
    label: LABEL,
    secret: made.key.secret,
  });
  const lookup: RegistryLookup = {
    answeredAt,
    answerSha256: sha256Hex(text),
    asOf,
    blob,
    createdAt,
    createdBy: actor,
    lookupId,
    match: answer.match,
    queryDigest,
    registry,
    source,
    tenantId,
    ...(caseId !== undefined && { caseId }),
  };
  const looked = entry(ports, {
    action: 'registry.looked_up',
    actor,
    at: createdAt,
    members: {
      answer_sha256: lookup.answerSha256,
      case_id: caseId ?? null,
      match: answer.match,
      record_digest: recordDigest('lookup', lookup),
      registry,
      source,
    },
    target: lookupTarget(lookup),
    ...(ip !== undefined && { ip }),
  });
  return {
    answer,
    commit: {
      changes: [dataKeyTable.insert(made.record), registryLookupTable.insert(lookup)],
      events: [looked],
    },
    eventId: looked.eventId,
    lookup,
  };
}
