/**
 * Facts of customers that rules need: tier of risk, declared turnover, since when the account is
 * open, residence. Each is whole and holds from a time on, until the next one of a later time.
 * Changes have dense numbers, and a segment of the log names the last one that it was taken with:
 * so what a rule saw then can be seen again.
 *
 * What is said of a customer stands in the row; the chain has salted commitments.
 */
import {
  type Asker,
  type AuditStore,
  type CommitEvidence,
  entry,
  entryPages,
  findEntryNear,
  type IdempotencyRecord,
  type KeyRing,
  overwrite,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { chainOf, DomainError, type PageCursor, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { Clock, EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { leafHash, merkleRoot } from '#platform/merkleTree';
import type { Random } from '#platform/random';
import type { CustomerFacts, FactsReader } from './ports.ts';
import { type CustomerFact, customerFactTable, transactionLogHeadTable } from './tables.ts';

/** Facts of one commit. */
export const FACTS_TOGETHER = 450;
const SALT_BYTES = 16;
const PAGE = 1_000;
const ACTION = 'aml.customer_facts.recorded';

/** What is said of a customer; whole. */
export type GivenFacts = Omit<CustomerFacts, 'factsSeq'>;

/** What records facts. */
export interface FactsPorts {
  readonly tables: Pick<Tables, 'find'>;
  readonly commit: CommitEvidence;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** Facts of one call, at most a commit's. */
export interface RecordFacts extends Asker {
  readonly tenantId: TenantId;
  readonly facts: readonly GivenFacts[];
  readonly idempotency?: (recorded: RecordedFacts) => IdempotencyRecord;
}

/** Numbers of the first and the last. */
export interface RecordedFacts {
  readonly first: number;
  readonly last: number;
}

/** Records them, all or none, in their order. */
export const recordFacts = (ports: FactsPorts, ask: RecordFacts): Promise<RecordedFacts> =>
  overwrite(() => recordOnce(ports, ask));

async function recordOnce(ports: FactsPorts, ask: RecordFacts): Promise<RecordedFacts> {
  const { idempotency, tenantId } = ask;
  const key = { log: 'facts', tenantId } as const;
  const head = await ports.tables.find(transactionLogHeadTable, key);
  const first = (head?.tseq ?? 0) + 1;
  const last = first + ask.facts.length - 1;
  const now = ports.clock.now();
  const rows = ask.facts.map((one, offset): CustomerFact => {
    const salt = Buffer.from(ports.random.bytes(SALT_BYTES)).toString('base64');
    return {
      ...one,
      block: [first, last],
      factsSeq: first + offset,
      recordedAt: now,
      salt,
      tenantId,
    };
  });
  const recorded = { first, last };
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [
      transactionLogHeadTable.put(
        { ...key, tseq: last, version: (head?.version ?? 0) + 1 },
        head?.version ?? 0,
      ),
      ...rows.map((row) => customerFactTable.insert(row)),
    ],
    events: [
      entry(ports, {
        action: ACTION,
        actor: ask.actor,
        at: now,
        ...(ask.ip !== undefined && { ip: ask.ip }),
        members: {
          facts_from: first,
          facts_to: last,
          leaves_root: merkleRoot(rows.map(factLeaf)).toString('hex'),
        },
        target: 'customer-facts',
      }),
    ],
    ...(idempotency && { idempotency: () => idempotency(recorded) }),
  });
  return recorded;
}

/** Number and commitment: the salt is in the row, so that nobody can guess at what was erased. */
function factLeaf(row: CustomerFact): Buffer {
  const { block: _, factsSeq, recordedAt: __, salt, tenantId: ___, ...said } = row;
  const commitment = sha256Hex(`${salt}${canonicalJson(said)}`);
  return leafHash(canonicalJson({ commitment, facts_seq: factsSeq, version: 1 }));
}

/** What reads facts. */
export interface FactsReadPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  readonly keyRing: KeyRing;
  readonly tables: Pick<Tables, 'page'>;
}

/** Blocks that were compared with the chain; they never change. */
const COMPARED_MAX = 10_000;

/** Facts as they were signed; throws `evidence-altered` where they are others. */
export function factsReader(ports: FactsReadPorts): FactsReader {
  const compared = new Set<string>();
  return {
    of: async ({ customerIds, factsSeq, tenantId }) => {
      const found = new Map<string, readonly CustomerFacts[]>();
      for (const customerId of new Set(customerIds)) {
        const rows = (await rowsOf(ports, tenantId, customerId)).filter(
          (row) => row.factsSeq <= factsSeq,
        );
        for (const row of rows) await requireSigned(ports, row, compared);
        found.set(customerId, rows.map(toldFacts));
      }
      return found;
    },
  };
}

async function rowsOf(
  { tables }: Pick<FactsReadPorts, 'tables'>,
  tenantId: TenantId,
  customerId: string,
): Promise<readonly CustomerFact[]> {
  const rows: CustomerFact[] = [];
  let after: PageCursor | undefined;
  do {
    const page = await tables.page(customerFactTable, {
      equal: { customerId, tenantId },
      index: 'byCustomer',
      limit: PAGE,
      ...(after && { after }),
    });
    rows.push(...page.records);
    after = page.next;
  } while (after !== undefined);
  return rows;
}

async function requireSigned(
  ports: FactsReadPorts,
  { block: [first, last], recordedAt, tenantId }: CustomerFact,
  compared: Set<string>,
): Promise<void> {
  const name = `${tenantId}/${first}`;
  if (compared.has(name)) return;
  const chainId = chainOf(tenantId);
  const event = await findEntryNear(ports.audit, chainId, {
    action: ACTION,
    isIt: (one) => storedMembers(one).facts_from === first,
    near: recordedAt,
  });
  const signed = event && verifiedEvent(event, { chainId, keyRing: ports.keyRing });
  const fault = await faultOf(ports, { first, last, root: signed?.leaves_root, tenantId });
  if (fault !== undefined || signed === undefined) {
    const detail = `customer facts ${first} to ${last}: ${fault ?? 'they have no signed entry'}`;
    throw new DomainError('evidence-altered', { detail });
  }
  if (compared.size >= COMPARED_MAX) compared.clear();
  compared.add(name);
}

async function faultOf(
  { tables }: Pick<FactsReadPorts, 'tables'>,
  of: {
    readonly tenantId: TenantId;
    readonly first: number;
    readonly last: number;
    readonly root: unknown;
  },
): Promise<string | undefined> {
  const { records } = await tables.page(customerFactTable, {
    equal: { tenantId: of.tenantId },
    from: of.first,
    index: 'key',
    limit: PAGE,
    to: of.last + 1,
  });
  if (records.length !== of.last - of.first + 1) return 'some are gone';
  const root = merkleRoot(records.map(factLeaf)).toString('hex');
  return root === of.root ? undefined : 'they are not what was signed';
}

const toldFacts = (row: CustomerFact): CustomerFacts => {
  const { block: _, recordedAt: __, salt: ___, tenantId: ____, ...facts } = row;
  return facts;
};

/** What held at a time: the last that began by then, and of those the last that was recorded. */
export function factsAt(facts: readonly CustomerFacts[], at: EpochMs): CustomerFacts | undefined {
  let best: CustomerFacts | undefined;
  for (const one of facts) {
    if (one.validFrom > at) continue;
    const isLater =
      best === undefined ||
      one.validFrom > best.validFrom ||
      (one.validFrom === best.validFrom && one.factsSeq > best.factsSeq);
    if (isLater) best = one;
  }
  return best;
}

/** What is wrong with the facts of a tenant, in words; how many the chain tells of. */
export async function checkFacts(
  ports: FactsReadPorts,
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const chainId = chainOf(tenantId);
  const refusals: string[] = [];
  let next = 1;
  for await (const page of entryPages(ports.audit, { action: ACTION, chainId, fromSeq: 1 })) {
    for (const event of page) {
      const signed = verifiedEvent(event, { chainId, keyRing: ports.keyRing });
      const [first, last] = [Number(signed?.facts_from), Number(signed?.facts_to)];
      if (signed === undefined) {
        refusals.push(`entry seq ${event.seq}: it is not what was signed`);
        continue;
      }
      if (first !== next) refusals.push(`customer facts ${next} on: no entry tells of them`);
      const fault = await faultOf(ports, { first, last, root: signed.leaves_root, tenantId });
      if (fault !== undefined) refusals.push(`customer facts ${first} to ${last}: ${fault}`);
      next = last + 1;
    }
  }
  const { records } = await ports.tables.page(customerFactTable, {
    equal: { tenantId },
    from: next,
    index: 'key',
    limit: 1,
  });
  if (records.length > 0) refusals.push(`customer facts ${next} on: no entry tells of them`);
  return { count: next - 1, refusals };
}

/** What a process reads facts with. */
export const factsReaderOf = (process: {
  readonly keyRing: KeyRing;
  readonly storage: {
    readonly audit: FactsReadPorts['audit'];
    readonly tables: FactsReadPorts['tables'];
  };
}): FactsReader => {
  const { keyRing, storage } = process;
  return factsReader({ audit: storage.audit, keyRing, tables: storage.tables });
};
