/**
 * How a declaration changes: each revision is made of the one before, has its entry, and is refused
 * where the one before is not what was signed. A declaration that came to the authority is told of
 * once, in the commit that knows it first.
 */
import { type EventDraft, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { type BusEvent, chainOf, DomainError, type TableChange } from '#core/kernel';
import type { TaxAsk } from './classifySubject.ts';
import {
  type DeclarationStatus,
  declarationTable,
  type TaxDeclaration,
} from './declarationTables.ts';
import type { TaxPorts } from './ports.ts';
import { digestOfRecord } from './signedTable.ts';

/** Entries about a declaration that name its digest. */
export const DECLARATION_ACTIONS = [
  'tcr.declaration.created',
  'tcr.declaration.generation_ordered',
  'tcr.declaration.generated',
  'tcr.declaration.cancelled',
  'tcr.declaration.submission_ordered',
  'tcr.declaration.packaged',
  'tcr.declaration.deposit_noted',
  'tcr.declaration.deposit_failed',
  'tcr.declaration.receipt_noted',
  'tcr.declaration.submitted',
  'tcr.declaration.answered',
] as const;
/** One of DECLARATION_ACTIONS. */
export type DeclarationAction = (typeof DECLARATION_ACTIONS)[number];

/** Who works in a worker. */
export const SYSTEM = 'system:tax';

/** As entries name it. */
export const declarationTarget = ({ declarationId }: Pick<TaxDeclaration, 'declarationId'>) =>
  `tax-declaration:${declarationId}`;

/** SHA-256 hex of all of a record. */
export const declarationDigest = digestOfRecord<TaxDeclaration>('tax-declaration-v1');

/** Name of the data key of its files. */
export const declarationKey = (of: Pick<TaxDeclaration, 'declarationId' | 'tenantId'>) => ({
  keyId: `tax-declaration/${of.declarationId}`,
  tenantId: of.tenantId,
});

/** Which declaration, and who asks. */
export interface DeclarationAsk extends TaxAsk {
  readonly declarationId: string;
}

/** What becomes of a declaration. */
export interface DeclarationChange {
  readonly action: DeclarationAction;
  /** States in which it may be made; else `state-conflict`. */
  readonly from: readonly DeclarationStatus[];
  /** What it becomes; undefined where there is nothing to change. */
  readonly step: (
    before: TaxDeclaration,
  ) => TaxDeclaration | undefined | Promise<TaxDeclaration | undefined>;
  /** Why its state changes; absent: the action. */
  readonly cause?: string;
  /** Goes first, and is not tried again where it is stale: a worker's hold. */
  readonly expected?: TableChange;
  readonly besides?: (next: TaxDeclaration) => readonly TableChange[];
  readonly events?: (next: TaxDeclaration) => readonly EventDraft[];
  readonly idempotency?: ((next: TaxDeclaration) => IdempotencyRecord) | undefined;
}

/** Throws `declaration-unknown`, `state-conflict`, `state-altered`. */
export function changeDeclaration(
  ports: TaxPorts,
  ask: DeclarationAsk,
  { besides, events, expected, from, idempotency, step, ...of }: DeclarationChange,
): Promise<TaxDeclaration> {
  const first = expected === undefined ? [] : [expected];
  return overwrite(
    async () => {
      const before = await findDeclaration(ports, ask);
      if (!from.includes(before.status)) {
        const detail = `expected a declaration that is ${from.join(' or ')}, got ${before.status}`;
        throw new DomainError('state-conflict', { detail });
      }
      const made = await step(before);
      if (made === undefined) return before;
      const next = steppedOn(ports, before, {
        by: ask.actor,
        cause: of.cause ?? of.action,
        of: made,
      });
      const told = toldOf(ports, ask, { before, next });
      await ports.commit(chainOf(ask.tenantId), {
        bus: told.bus,
        changes: [...first, declarationTable.put(next, before.version), ...(besides?.(next) ?? [])],
        events: [
          declarationEntry(ports, ask, { action: of.action, record: next }),
          ...told.events,
          ...(events?.(next) ?? []),
        ],
        ...(idempotency !== undefined && { idempotency: () => idempotency(next) }),
      });
      return next;
    },
    // Only where the declaration itself was changed by another: what stands beside is taken once.
    { mayRepeat: ({ changeIndex }) => changeIndex === first.length },
  );
}

/** What is said once: that all of it is with the authority. */
function toldOf(
  ports: TaxPorts,
  ask: DeclarationAsk,
  { before, next }: { readonly before: TaxDeclaration; readonly next: TaxDeclaration },
): { readonly bus: readonly BusEvent[]; readonly events: readonly EventDraft[] } {
  if (before.filedAt !== undefined || next.filedAt === undefined) return { bus: [], events: [] };
  const { declarationId, tenantId } = next;
  return {
    bus: [
      {
        partition: tenantId,
        payload: { declaration_id: declarationId, schema: 'tcr.declaration.submitted.v1' },
        topic: 'tcr.declaration.submitted',
      },
    ],
    events: [declarationEntry(ports, ask, { action: 'tcr.declaration.submitted', record: next })],
  };
}

/** The next revision, with what it means in the timeline. */
export function steppedOn(
  { clock }: Pick<TaxPorts, 'clock'>,
  before: TaxDeclaration,
  { by, cause, of }: { readonly by: string; readonly cause: string; readonly of: TaxDeclaration },
): TaxDeclaration {
  const at = clock.now();
  const isMoved = of.status !== before.status;
  // An answer that comes before any receipt is a receipt too.
  const isFiled = before.filedAt === undefined && of.filedAt !== undefined;
  const through = isFiled && of.status !== 'filed' ? (['filed'] as const) : [];
  const moves = isMoved ? [...through, of.status] : [];
  const timeline = [...before.timeline];
  for (const to of moves) {
    timeline.push({ at, by, cause, from: timeline.at(-1)?.to ?? before.status, to });
  }
  return { ...of, timeline, updatedAt: at, version: before.version + 1 };
}

/** As its last entry made it. Throws `declaration-unknown`, `state-altered`. */
export async function findDeclaration(
  { signedDeclarations, tables }: Pick<TaxPorts, 'signedDeclarations' | 'tables'>,
  { declarationId, tenantId }: Pick<TaxDeclaration, 'declarationId' | 'tenantId'>,
): Promise<TaxDeclaration> {
  const found = await tables.find(declarationTable, { declarationId, tenantId });
  if (found === undefined) throw new DomainError('declaration-unknown');
  return signedDeclarations.require(found);
}

/** The entry of a state: ids, figures and digests. */
export function declarationEntry(
  ports: Pick<TaxPorts, 'clock' | 'random'>,
  { actor, ip }: Pick<TaxAsk, 'actor' | 'ip'>,
  { action, record }: { readonly action: DeclarationAction; readonly record: TaxDeclaration },
): EventDraft {
  const packages = record.messages.flatMap(({ filing }) => filing?.package ?? []);
  return entry(ports, {
    action,
    actor,
    at: record.updatedAt,
    members: {
      account_count: record.accountCount,
      declaration_digest: declarationDigest(record),
      reference: record.reference,
      status: record.status,
      xml_sha256: record.messages.map(({ sha256 }) => sha256),
      ...(packages.length > 0 && { package_sha256: packages.map(({ sha256 }) => sha256) }),
      ...(record.accountsDigest !== undefined && { accounts_digest: record.accountsDigest }),
    },
    // A person's own words can be erased.
    ...(record.cancelReason !== undefined && { open: { reason: record.cancelReason } }),
    target: declarationTarget(record),
    ...(ip !== undefined && { ip }),
  });
}
