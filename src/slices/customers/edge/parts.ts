/** The ports of the rules of cases, built from the installation of a process; one for each. */
import type { Actor } from '#core/audit';
import { type Principal, personOf } from '#core/identity';
import { type CasePorts, RecentViews, signedCases } from '#slices/customers';
import type { SliceProcess } from '../../processes.ts';
import { flagsOfSubject, riskOfCase } from '../asks.ts';

/** What works on cases. */
export type CaseParts = CasePorts & { readonly views: RecentViews };

export const casePortsOf = (process: SliceProcess & Wakes): CaseParts => process.once(open);

/** How a process tells workers to look: a gateway and a command do, a worker has its own loop. */
interface Wakes {
  readonly wake?: (slice: string, id: string) => unknown;
}

function open(process: SliceProcess & Wakes): CaseParts {
  const { blobs, clock, commit, dataKeys, identity, keyRing, random, storage } = process;
  const { audit, tables } = storage;
  return {
    blobs,
    clock,
    commit,
    dataKeys,
    flagsOf: process.ask(flagsOfSubject),
    listPersons: (tenantId) => identity.listPersons(tenantId),
    random,
    riskOf: process.ask(riskOfCase),
    signed: signedCases({ audit, keyRing, tables }),
    tables,
    views: new RecentViews(),
    wake: (tenantId) => void process.wake?.('customers', tenantId),
  };
}

/** Who acts, of those who call: the person where there is one, else the account or key. */
export async function actorOf(
  { listPersons }: Pick<CasePorts, 'listPersons'>,
  principal: Principal,
): Promise<{ readonly actor: Actor; readonly isPerson: boolean }> {
  const person = personOf(principal, await listPersons(principal.tenantId));
  if (person !== undefined) return { actor: `person:${person.id}`, isPerson: true };
  const isPerson = principal.kind === 'user';
  return { actor: `${isPerson ? 'user' : 'key'}:${principal.id}`, isPerson };
}
