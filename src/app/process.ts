/** An installation as the slices of one process work with it (slices/processes.ts). */
import { createTenantDirectory, identityStore, signedIdentityStore } from '#core/identity';
import type { Installation, SliceProcess } from '../slices/processes.ts';
import { loadHoldings } from './holdings.ts';
import { JOINED } from './joined.ts';
import { loadPublicEvents } from './publicEvents.ts';
import { AUDIT_ACTIONS } from './sliceRows.ts';
import { TABLES } from './tables.ts';

export interface OpenProcess<Kind extends SliceProcess> {
  readonly process: Kind;
  /** Ends the parts that were made, the last one first; the installation stays open. */
  close(): Promise<void>;
}

/** `offered` is what this kind of process has beside the installation. */
export function openProcess<Kind extends SliceProcess>(
  installation: Installation,
  offered: Omit<Kind, keyof SliceProcess>,
): OpenProcess<Kind> {
  const { audit, clock, keyRing, settings, storage } = installation;
  const identity = signedIdentityStore(identityStore(storage.tables), {
    audit: storage.audit,
    clock,
    keyRing,
  });
  const made = new Map<unknown, unknown>();
  const ends: (() => Promise<void> | void)[] = [];
  const common: Omit<SliceProcess, keyof Installation> = {
    actions: Object.keys(AUDIT_ACTIONS),
    ask: (port) => JOINED.ask(port, process),
    commit: (chainId, commit) => audit.commit(chainId, commit),
    holdings: () => loadHoldings(process),
    identity,
    need: JOINED.need,
    onClose: (end) => void ends.push(end),
    once: <Part>(make: (of: never) => Part): Part => {
      if (made.has(make)) return made.get(make) as Part;
      const part = make(process as never);
      made.set(make, part);
      // What could not be made is made anew for whoever wants it next; who asked now is told.
      if (part instanceof Promise) part.catch(() => made.delete(make));
      return part;
    },
    publicEvents: loadPublicEvents,
    tables: TABLES,
    tenants: createTenantDirectory({ clock, settings, store: identity }),
  };
  const process = { ...installation, ...offered, ...common } as unknown as Kind;
  const close = async (): Promise<void> => {
    for (const end of ends.reverse()) await end();
  };
  return { close, process };
}
