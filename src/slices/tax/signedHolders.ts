/**
 * Holders as entries tell of them: when one was erased, and which forms are on file. A data key has
 * no digest, so it is compared with the erasures: one that was put back after the last of them, or
 * that is gone without one, is told. A form whose record is gone is found by its entry, too.
 */
import {
  EntryPlaces,
  entryPages,
  lookSettled,
  type SignedRecordPorts,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import { chainOf, DomainError, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { type TaxForm, taxFormTable } from './formTable.ts';
import { type Holder, holderKey, holderTarget } from './holder.ts';
import { targetOf } from './signedClassifications.ts';
import { formTarget } from './signedForms.ts';
import { type TaxClassification, taxClassificationTable } from './tables.ts';

/** What is read. */
export type SignedHolderPorts = SignedRecordPorts & {
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'page'>;
};

const ERASED = 'tcr.holder.erased';
const RECEIVED = 'tcr.form.received';
const MADE = 'tcr.classification.made';
/** Chains whose places a process keeps; the one that was opened first leaves first. */
const CHAINS_MAX = 1_000;

/** Seqs of the last entries of a chain, by their targets. */
type Seqs = ReadonlyMap<string, number>;

/** One for a process. */
export class SignedHolders {
  readonly #ports: SignedHolderPorts;
  readonly #received = new Map<TenantId, EntryPlaces>();

  constructor(ports: SignedHolderPorts) {
    this.#ports = ports;
  }

  /** Those of the records of a holder that the holder's last erasure made unreadable. */
  async erasedAmong<R extends TaxClassification | TaxForm>(
    holder: Holder,
    records: readonly R[],
  ): Promise<ReadonlySet<R>> {
    const { tenantId } = holder;
    const erased = (await this.#seqs(tenantId, ERASED)).get(holderTarget(holder));
    if (erased === undefined) return new Set();
    const made = await this.#made(tenantId);
    return new Set(records.filter((one) => (made.get(nameOf(one)) ?? 0) < erased));
  }

  /** Throws `state-altered` where an entry tells of a form of the holder whose record is gone. */
  async requireForms(holder: Holder): Promise<void> {
    const { refusal } = await lookSettled(this.#ports.audit, async () => {
      const [gone] = await this.#goneForms(holder);
      const refusal = gone && `${gone}: its record is gone`;
      return { chainId: chainOf(holder.tenantId), found: undefined, refusal };
    });
    if (refusal !== undefined) throw new DomainError('state-altered', { detail: refusal });
  }

  /** Data keys of a tenant's holders that no erasure explains, in words. */
  async check(tenantId: TenantId): Promise<readonly string[]> {
    const found = await this.#alteredKeys(tenantId);
    if (found.length === 0) return found;
    // What came meanwhile is told by neither look or by one alone.
    const again = new Set(await this.#alteredKeys(tenantId));
    return found.filter((one) => again.has(one));
  }

  async #goneForms(holder: Holder): Promise<readonly string[]> {
    const { audit, tables } = this.#ports;
    const { tenantId } = holder;
    const places = this.#places(tenantId);
    await places.readOn();
    const events = await Promise.all(
      places.of(holderTarget(holder)).map((seq) => audit.findBySeq(chainOf(tenantId), seq)),
    );
    const named = events.flatMap((event) => (event ? [String(storedMembers(event).target)] : []));
    const keys = named.map((target) => ({
      formId: target.slice(formTarget({ formId: '' }).length),
      tenantId,
    }));
    const found = keys.length === 0 ? [] : await tables.findMany(taxFormTable, keys);
    const known = new Set(found.map(formTarget));
    return named.filter((target) => !known.has(target));
  }

  #places(tenantId: TenantId): EntryPlaces {
    const known = this.#received.get(tenantId);
    if (known !== undefined) return known;
    const places = new EntryPlaces({
      actions: [RECEIVED],
      audit: this.#ports.audit,
      chainId: chainOf(tenantId),
      keysOf: (event) => {
        const { holder } = storedMembers(event);
        return typeof holder === 'string' ? [holder] : [];
      },
    });
    this.#received.set(tenantId, places);
    const [oldest] = this.#received.keys();
    if (this.#received.size > CHAINS_MAX && oldest !== undefined) this.#received.delete(oldest);
    return places;
  }

  async #alteredKeys(tenantId: TenantId): Promise<readonly string[]> {
    const lasts = await this.#lasts(tenantId);
    const erasures = await this.#seqs(tenantId, ERASED);
    const refusals: string[] = [];
    for (const [keyId, { last, name }] of lasts) {
      const isThere = (await this.#ports.tables.find(dataKeyTable, { keyId })) !== undefined;
      const erased = erasures.get(name) ?? 0;
      if (isThere && erased > last) {
        refusals.push(`${name}: its data key is there, which the entry seq ${erased} destroyed`);
      }
      if (!isThere && erased < last) {
        refusals.push(`${name}: its data key is gone, and no entry tells of its erasure`);
      }
    }
    return refusals;
  }

  /** The entry that made the last record of each holder, by the name of the data key. */
  async #lasts(tenantId: TenantId) {
    const { tables } = this.#ports;
    const walk = { equal: { tenantId }, index: 'key' };
    const lasts = new Map<string, { readonly last: number; readonly name: string }>();
    const made = await this.#made(tenantId);
    const note = (record: TaxClassification | TaxForm) => {
      const { keyId } = holderKey(record);
      const seq = made.get(nameOf(record)) ?? 0;
      const last = Math.max(seq, lasts.get(keyId)?.last ?? 0);
      lasts.set(keyId, { last, name: holderTarget(record) });
    };
    for await (const one of everyRecord(tables, taxClassificationTable, walk)) note(one);
    for await (const one of everyRecord(tables, taxFormTable, walk)) note(one);
    return lasts;
  }

  async #made(tenantId: TenantId): Promise<Seqs> {
    const [classified, received] = await Promise.all([
      this.#seqs(tenantId, MADE),
      this.#seqs(tenantId, RECEIVED),
    ]);
    return new Map([...classified, ...received]);
  }

  /** Entries that are not what was signed tell nothing; `audit verify` names them. */
  async #seqs(tenantId: TenantId, action: string): Promise<Seqs> {
    const { audit, keyRing } = this.#ports;
    const chainId = chainOf(tenantId);
    const seqs = new Map<string, number>();
    for await (const page of entryPages(audit, { action, chainId, fromSeq: 1 })) {
      for (const event of page) {
        const target = verifiedEvent(event, { chainId, keyRing })?.target;
        if (typeof target === 'string') seqs.set(target, event.seq);
      }
    }
    return seqs;
  }
}

const nameOf = (record: TaxClassification | TaxForm): string =>
  'formId' in record ? formTarget(record) : targetOf(record);
