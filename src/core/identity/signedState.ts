/**
 * Tenants, keys and persons are compared with the entry that last changed them: by its digest of
 * the record, or by the details of entries of a former release. A record that was changed past the
 * service, or put back as it once was, is refused as `state-altered` before anything is decided.
 *
 * Cheap on the way of a request: what is known to be good is not asked again for REFRESH_MS. Then
 * the entries that came since are read by their actions, which the store has an index for. An entry
 * is verified when a record is first compared with it.
 */
import {
  type AuditStore,
  EntryPlaces,
  type JsonRecord,
  type KeyRing,
  lookSettled,
  type SealedEvent,
  type SettlingAudit,
  signedEntry,
  storedMembers,
} from '#core/audit';
import { type ChainId, chainOf, DomainError, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { Clock } from '#platform/clock';
import { auditActions } from './auditActions.ts';
import { replayed } from './formerEntries.ts';
import type { IdentityStore } from './ports.ts';
import { type HeldRecord, heldApiKey, heldPerson, heldTenant } from './recordEvidence.ts';
import { fromStore } from './storeFailure.ts';

/** A record that was put back as it once was is found within this time, and at each start. */
export const REFRESH_MS = 30_000;
/** Chains whose entries a process keeps. */
const CHAINS_MAX = 10_000;

const ACTIONS = Object.keys(auditActions);

/** What the chain is read with. */
export interface SignedStatePorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'readEvents'> & SettlingAudit;
  readonly keyRing: KeyRing;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** The entries of one chain, by the records that they are about. */
interface Chain {
  readonly places: EntryPlaces;
  /** Digests that were found to be the signed ones, of what the last entry says. */
  readonly good: Map<string, string>;
  readAtMs: number;
}

/** The state that the chains tell, as one process has read them. */
export class SignedState {
  readonly #ports: SignedStatePorts;
  readonly #chains = new Map<ChainId, Chain>();

  constructor(ports: SignedStatePorts) {
    this.#ports = ports;
  }

  /** Why the record is not what was signed; undefined where it is. */
  async refusal(tenantId: TenantId, record: HeldRecord): Promise<string | undefined> {
    const chainId = chainOf(tenantId);
    const key = keyOf(record);
    const chain = this.#chain(chainId);
    const isFresh = this.#ports.clock.monotonicMs() - chain.readAtMs < REFRESH_MS;
    if (isFresh && chain.good.get(key) === record.digest) return undefined;
    await this.#readOn(chain);
    if (chain.good.get(key) === record.digest) return undefined;
    const refusal = await this.#compare(chainId, chain.places.of(key), record);
    if (refusal === undefined) chain.good.set(key, record.digest);
    return refusal;
  }

  /** Records that entries of the chain have made and `known` does not have. */
  async missing(tenantId: TenantId, known: ReadonlySet<string>): Promise<readonly string[]> {
    const chainId = chainOf(tenantId);
    const chain = this.#chain(chainId);
    await this.#readOn(chain);
    return chain.places.keys().filter((key) => !known.has(key));
  }

  #chain(chainId: ChainId): Chain {
    const known = this.#chains.get(chainId);
    if (known !== undefined) return known;
    const { audit } = this.#ports;
    const good = new Map<string, string>();
    const onFound = (key: string) => void good.delete(key);
    const places = new EntryPlaces({ actions: ACTIONS, audit, chainId, keysOf, onFound });
    const chain: Chain = { good, places, readAtMs: Number.NEGATIVE_INFINITY };
    this.#chains.set(chainId, chain);
    const [oldest] = this.#chains.keys();
    if (this.#chains.size > CHAINS_MAX && oldest !== undefined) this.#chains.delete(oldest);
    return chain;
  }

  async #readOn(chain: Chain): Promise<void> {
    const startedAtMs = this.#ports.clock.monotonicMs();
    await chain.places.readOn();
    chain.readAtMs = startedAtMs;
  }

  async #compare(
    chainId: ChainId,
    seqs: readonly number[],
    record: HeldRecord,
  ): Promise<string | undefined> {
    const last = seqs.at(-1);
    if (last === undefined) return 'no entry of its chain tells of it';
    const entry = await this.#entry(chainId, last);
    if (entry === undefined) return `its last entry, seq ${last}, is not what was signed`;
    const told = toldDigest(entry, record);
    if (told !== undefined) {
      return told === record.digest ? undefined : `it is not what the entry seq ${last} made it`;
    }
    const entries = await Promise.all(seqs.map((seq) => this.#entry(chainId, seq)));
    const whole = entries.filter((one) => one !== undefined);
    const facts = whole.length === seqs.length ? replayed(record, whole) : undefined;
    if (facts === undefined) return `its entries up to seq ${last} do not tell what it is`;
    const isSame = canonicalJson(facts) === canonicalJson(record.facts);
    return isSame ? undefined : `it is not what the entries up to seq ${last} made it`;
  }

  #entry(chainId: ChainId, seq: number): Promise<JsonRecord | undefined> {
    return signedEntry(this.#ports, { chainId, seq });
  }
}

const keyOf = ({ id, kind }: Pick<HeldRecord, 'id' | 'kind'>): string => `${kind}:${id}`;

/** Records that an entry says something of; unverified. */
function keysOf(event: SealedEvent): readonly string[] {
  const { records, target } = storedMembers(event);
  if (Array.isArray(records)) return records.map(keyOf);
  const { successor } = detailsOf(event);
  return [String(target), ...(successor === undefined ? [] : [`api_key:${String(successor)}`])];
}

function detailsOf({ open }: SealedEvent): { readonly successor?: unknown } {
  if (open === undefined) return {};
  return (JSON.parse(open) as { readonly details?: object }).details ?? {};
}

/** Undefined for an entry of a former release. */
function toldDigest({ records }: JsonRecord, of: HeldRecord): string | undefined {
  if (!Array.isArray(records)) return undefined;
  const told = records.find((one) => keyOf(one) === keyOf(of)) as HeldRecord | undefined;
  return told?.digest ?? '';
}

/**
 * The same store, whose answers to requests are compared with the chain. Lists for administrators
 * are answered as they stand: `audit verify --state` says which of them are not what was signed.
 */
export function signedIdentityStore(store: IdentityStore, ports: SignedStatePorts): IdentityStore {
  const state = new SignedState(ports);
  const held = async <Found>(
    tenantOf: (found: Found) => TenantId,
    recordsIn: (found: Found) => readonly HeldRecord[],
    read: () => Promise<Found>,
  ): Promise<Found> => {
    const { found, refusal } = await lookSettled(ports.audit, async () => {
      const one = await fromStore(read());
      const tenantId = tenantOf(one);
      const [refusal] = await fromStore(refusalsOf(state, tenantId, recordsIn(one)));
      return { chainId: chainOf(tenantId), found: one, refusal };
    });
    if (refusal === undefined) return found;
    throw new DomainError('state-altered', { detail: refusal });
  };
  return {
    ...store,
    findApiKeyByHash: (hash) =>
      held(
        (key) => key?.tenantId ?? NOBODY,
        (key) => (key === undefined ? [] : [heldApiKey(key)]),
        () => store.findApiKeyByHash(hash),
      ),
    findPerson: (tenantId, id) =>
      held(
        () => tenantId,
        (person) => (person === undefined ? [] : [heldPerson(person)]),
        () => store.findPerson(tenantId, id),
      ),
    findTenant: (id) =>
      held(
        () => id,
        (tenant) => (tenant === undefined ? [] : [heldTenant(tenant)]),
        () => store.findTenant(id),
      ),
    listPersons: (tenantId) =>
      held(
        () => tenantId,
        (persons) => persons.map(heldPerson),
        () => store.listPersons(tenantId),
      ),
  };
}

/** Stands where nothing was found, and nothing is asked of its chain. */
const NOBODY = '' as TenantId;

/** Refusals of these records, each with its kind and id. */
export async function refusalsOf(
  state: SignedState,
  tenantId: TenantId,
  records: readonly HeldRecord[],
): Promise<readonly string[]> {
  const refusals: string[] = [];
  for (const record of records) {
    const refusal = await state.refusal(tenantId, record);
    if (refusal !== undefined) refusals.push(`${keyOf(record)} of ${tenantId}: ${refusal}`);
  }
  return refusals;
}
