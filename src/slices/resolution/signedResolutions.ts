/**
 * The resolution in force, and the pairs that persons have taken apart, as the signed entries of
 * the platform's chain tell of them. The record says which blob to load; whoever could write the
 * database could name another, which takes two parties for one. So it is used only where the last
 * entry names it; workers make another one where it does not.
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
import { DomainError, PLATFORM_CHAIN } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { changedPairs } from './apartPairs.ts';
import type { ApartPair, EntityReference, ResolutionPointer, ResolutionStore } from './ports.ts';

const SEPARATED = 'SANCTIONS_ENTRIES_SEPARATED';
const REJOINED = 'SANCTIONS_ENTRIES_REJOINED';
/** A publication may carry the resolution over. */
const ACTIONS = ['SANCTIONS_LISTS_RESOLVED', 'SANCTIONS_LIST_PUBLISHED', SEPARATED, REJOINED];

export interface SignedResolutions {
  /** Pairs that are apart by the entries, in their order. */
  apart(): Promise<readonly ApartPair[]>;
  /** Why the record is not what was signed last; undefined where it is. */
  refusal(pointer: ResolutionPointer | undefined): Promise<string | undefined>;
}

export interface SignedResolutionsPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'readEvents'> & SettlingAudit;
  readonly keyRing: KeyRing;
}

/** One for a process. */
export function signedResolutions(ports: SignedResolutionsPorts): SignedResolutions {
  const { audit } = ports;
  const chainId = PLATFORM_CHAIN;
  const places = new EntryPlaces({ actions: ACTIONS, audit, chainId, keysOf });
  const entriesOf = (key: string): Promise<readonly (JsonRecord | undefined)[]> =>
    Promise.all(places.of(key).map((seq) => signedEntry(ports, { chainId, seq })));

  const apart = async (): Promise<readonly ApartPair[]> => {
    await places.readOn();
    let pairs: readonly ApartPair[] = [];
    for (const entry of await entriesOf('apart')) {
      if (entry === undefined) throw altered('an entry of a separation is not what was signed');
      const [a, b] = entry.entries as readonly [EntityReference, EntityReference];
      pairs = changedPairs(pairs, {
        a,
        b,
        into: entry.action === SEPARATED ? 'apart' : 'together',
      });
    }
    return pairs;
  };

  return {
    apart,
    async refusal(pointer) {
      await places.readOn();
      const seq = places.of('resolution').at(-1);
      if (seq === undefined) {
        return pointer && 'no signed entry of the chain `platform` tells of it';
      }
      const entry = await signedEntry(ports, { chainId, seq });
      if (entry === undefined) return `its last entry, seq ${seq}, is not what was signed`;
      if (pointer === undefined) return `its record is gone: the entry seq ${seq} names it`;
      const isSame =
        pointer.blob === entry.resolution &&
        (entry.lists === undefined || isEqual(entry.lists, pointer.lists)) &&
        isEqual(pointer.apart ?? [], await apart());
      return isSame ? undefined : `its record is not what the entry seq ${seq} made it`;
    },
  };
}

const isEqual = (one: unknown, other: unknown): boolean =>
  canonicalJson(one) === canonicalJson(other);

const altered = (detail: string): DomainError =>
  new DomainError('list-altered', { detail: `resolution: ${detail}` });

function keysOf(event: SealedEvent): readonly string[] {
  if (event.action === SEPARATED || event.action === REJOINED) return ['apart'];
  return storedMembers(event).resolution === undefined ? [] : ['resolution'];
}

/** The same store, whose answers are what was signed. Throws `list-altered`. */
export function signedResolutionStore(
  store: ResolutionStore,
  ports: SignedResolutionsPorts,
): ResolutionStore {
  const signed = signedResolutions(ports);
  const look = async () => {
    const found = await store.findResolution();
    return { chainId: PLATFORM_CHAIN, found, refusal: await signed.refusal(found) };
  };
  return {
    async findResolution() {
      const { found, refusal } = await lookSettled(ports.audit, look);
      if (refusal !== undefined) throw altered(refusal);
      return found;
    },
  };
}
