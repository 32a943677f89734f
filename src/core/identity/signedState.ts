/**
 * Tenants, keys and persons are compared with the entry that last changed them: by its digest of
 * the record, or by the details of entries of a former release. A record that was changed past the
 * service, or put back as it once was, is refused as `state-altered` before anything is decided.
 *
 * Cheap on the way of a request, and how soon a record that was put back is found: as of
 * SignedRecords.
 */
import {
  type AuditStore,
  type JsonRecord,
  type KeptRecord,
  type KeyRing,
  lookSettled,
  type SealedEvent,
  type SettlingAudit,
  SignedRecords,
  type SignedRecordsOf,
} from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { Clock } from '#platform/clock';
import { auditActions } from './auditActions.ts';
import { replayed } from './formerEntries.ts';
import type { IdentityStore } from './ports.ts';
import { type HeldRecord, heldApiKey, heldPerson, heldTenant } from './recordEvidence.ts';
import { fromStore } from './storeFailure.ts';

/** What the chain is read with. */
export interface SignedStatePorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'readEvents'> & SettlingAudit;
  readonly keyRing: KeyRing;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

const TOLD: SignedRecordsOf = {
  actions: Object.keys(auditActions),
  digestIn: ({ records }, key) => {
    // Entries of a former release tell details.
    if (!Array.isArray(records)) return undefined;
    const told = records.find((one) => keyOf(one) === key) as HeldRecord | undefined;
    return told?.digest ?? '';
  },
  keysOf,
};

/** The state that the chains tell, as one process has read them. */
export class SignedState {
  readonly #records: SignedRecords;

  constructor(ports: SignedStatePorts) {
    this.#records = new SignedRecords(ports, TOLD);
  }

  /** Why the record is not what was signed; undefined where it is. */
  refusal(tenantId: TenantId, record: HeldRecord): Promise<string | undefined> {
    return this.#records.refusal(chainOf(tenantId), keptOf(record));
  }

  /** Records that entries of the chain have made and `known` does not have. */
  missing(tenantId: TenantId, known: ReadonlySet<string>): Promise<readonly string[]> {
    return this.#records.missing(chainOf(tenantId), known);
  }
}

const keyOf = ({ id, kind }: Pick<HeldRecord, 'id' | 'kind'>): string => `${kind}:${id}`;

const keptOf = (record: HeldRecord): KeptRecord => ({
  digest: record.digest,
  isAsFormerly: (entries) => {
    const facts = replayed(record, entries);
    return facts !== undefined && canonicalJson(facts) === canonicalJson(record.facts);
  },
  key: keyOf(record),
});

/** Records that an entry says something of; unverified. */
function keysOf({ records, target }: JsonRecord, event: SealedEvent): readonly string[] {
  if (Array.isArray(records)) return records.map(keyOf);
  const { successor } = detailsOf(event);
  return [String(target), ...(successor === undefined ? [] : [`api_key:${String(successor)}`])];
}

function detailsOf({ open }: SealedEvent): { readonly successor?: unknown } {
  if (open === undefined) return {};
  return (JSON.parse(open) as { readonly details?: object }).details ?? {};
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
