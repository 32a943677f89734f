/** The ports of cases, built from whatever process holds the installation; one for each. */
import type { Actor, AuditStore, CommitEvidence, KeyRing } from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import { type Person, type Principal, personOf } from '#core/identity';
import type { Port, Question, Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import { flagsOfSubject, knowsForm, riskOfCase } from './asks.ts';
import type { CasePorts } from './ports.ts';
import { signedCases } from './signedCases.ts';
import { RecentViews } from './viewCase.ts';

/** What works on cases. */
export type CaseParts = CasePorts & { readonly views: RecentViews };

/** What a process of any kind has for them. */
export interface CaseMeans {
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly commit: CommitEvidence;
  readonly dataKeys: DataKeys;
  readonly identity: {
    listPersons(tenantId: TenantId): Promise<readonly Person[]>;
  };
  readonly keyRing: KeyRing;
  readonly random: Random;
  readonly storage: { readonly audit: AuditStore; readonly tables: Tables };
  ask<Asked extends Question>(port: Port<Asked>): Asked;
  once<Part>(make: (process: this) => Part): Part;
  /** A gateway and a command tell workers to look; a worker has its own loop. */
  readonly wake?: (slice: string, id: string) => unknown;
}

/** One for the process. */
export const casePartsOf = (process: CaseMeans): CaseParts => process.once(open);

function open(process: CaseMeans): CaseParts {
  const { blobs, clock, commit, dataKeys, identity, keyRing, random, storage } = process;
  const { audit, tables } = storage;
  return {
    blobs,
    clock,
    commit,
    dataKeys,
    flagsOf: process.ask(flagsOfSubject),
    knowsForm: process.ask(knowsForm),
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
  const { id, kind } = principal;
  return { actor: kind === 'api-key' ? `key:${id}` : `${kind}:${id}`, isPerson: kind === 'user' };
}
