/**
 * Exclusions as the signed entries of the tenant's chain tell of them (decision 3.1b). A row that
 * its last entry did not make, one that was invented, altered or put back, suppresses nothing: it
 * is left out and named. The versions of lists that exclusions were compared with stand in entries
 * alone.
 *
 * The entries of a tenant are read once for a process, and then those that came since.
 */
import {
  type AuditStore,
  entryPages,
  type JsonRecord,
  type KeyRing,
  verifiedEvent,
} from '#core/audit';
import { type ChainId, chainOf, type TenantId } from '#core/kernel';
import { auditActions } from './auditActions.ts';
import { withChecked } from './checkedVersions.ts';
import type { CheckedVersions } from './tables.ts';

/** What the entries of a tenant say. */
export interface ToldExclusions {
  /** Digest of each exclusion by its last entry. */
  readonly digests: ReadonlyMap<string, string>;
  readonly checked: CheckedVersions;
  /** Entries that are not what was signed, in words. */
  readonly bad: readonly string[];
}

/** Reads of one process. */
export interface SignedExclusions {
  /** As of the last commit before the call. */
  of(tenantId: TenantId): Promise<ToldExclusions>;
}

/** Tenants of which a process remembers the entries; the one asked for longest ago is dropped. */
const TENANTS_KEPT_MAX = 1_000;

/** What the chain is read with. */
export interface SignedExclusionPorts {
  readonly audit: Pick<AuditStore, 'readEvents'>;
  readonly keyRing: KeyRing;
}

/** One for a process. */
export function signedExclusions(ports: SignedExclusionPorts): SignedExclusions {
  const tenants = new Map<TenantId, TenantEntries>();
  return {
    async of(tenantId) {
      const entries = tenants.get(tenantId) ?? new TenantEntries(ports, chainOf(tenantId));
      tenants.delete(tenantId);
      tenants.set(tenantId, entries);
      const [oldest] = tenants.keys();
      if (tenants.size > TENANTS_KEPT_MAX && oldest !== undefined) tenants.delete(oldest);
      return entries.told();
    },
  };
}

class TenantEntries {
  readonly #ports: SignedExclusionPorts;
  readonly #chainId: ChainId;
  readonly #upTo = new Map<string, number>();
  readonly #digests = new Map<string, string>();
  readonly #bad: string[] = [];
  #checked: CheckedVersions = {};
  /** Calls wait in line: each sees what was committed before it. */
  #reading: Promise<unknown> = Promise.resolve();

  constructor(ports: SignedExclusionPorts, chainId: ChainId) {
    this.#ports = ports;
    this.#chainId = chainId;
  }

  async told(): Promise<ToldExclusions> {
    const reading = this.#reading.then(() => this.#readOn());
    this.#reading = reading.catch(() => undefined); // its own caller gets the error
    await reading;
    return { bad: [...this.#bad], checked: this.#checked, digests: new Map(this.#digests) };
  }

  async #readOn(): Promise<void> {
    const { audit, keyRing } = this.#ports;
    const chainId = this.#chainId;
    const found: { readonly seq: number; readonly entry: JsonRecord }[] = [];
    const upTo = new Map(this.#upTo);
    const bad: string[] = [];
    for (const action of Object.keys(auditActions)) {
      const fromSeq = (upTo.get(action) ?? 0) + 1;
      for await (const page of entryPages(audit, { action, chainId, fromSeq })) {
        for (const event of page) {
          const entry = verifiedEvent(event, { chainId, keyRing });
          if (entry?.seq !== event.seq) bad.push(`entry seq ${event.seq}: not what was signed`);
          else found.push({ entry, seq: event.seq });
          upTo.set(action, event.seq);
        }
      }
    }
    found.sort((one, other) => one.seq - other.seq);
    for (const { entry } of found) this.#take(entry);
    for (const [action, seq] of upTo) this.#upTo.set(action, seq);
    this.#bad.push(...bad);
  }

  #take({ checked = {}, exclusions = [] }: JsonRecord): void {
    for (const { exclusion_digest, exclusion_id } of exclusions as readonly Told[]) {
      this.#digests.set(exclusion_id, exclusion_digest);
    }
    this.#checked = withChecked(this.#checked, checked as Readonly<Record<string, string>>);
  }
}

interface Told {
  readonly exclusion_id: string;
  readonly exclusion_digest: string;
}
