/**
 * Cancels a declaration: at once where nothing of it is on file, else through a declaration that
 * voids all of its records. What that one meets decides: taken, the first is over; refused or
 * cancelled itself, the first stands as it was.
 */
import { type IdempotencyRecord, overwrite } from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import { allRecords, DomainError, type TenantId } from '#core/kernel';
import {
  changeDeclaration,
  type DeclarationAsk,
  declarationEntry,
  declarationKey,
  findDeclaration,
  SYSTEM,
} from './declarationSteps.ts';
import { draftOf, nextReference, orderOf } from './declarations.ts';
import { declarationTable, type TaxDeclaration } from './declarationTables.ts';
import { requireKnown } from './mayBeOut.ts';
import type { TaxPorts } from './ports.ts';
import { isOnFile } from './reportItems.ts';
import { RECORD_TYPES } from './reportPlan.ts';

/** Who cancels which, and why. */
export interface CancelDeclaration extends DeclarationAsk {
  readonly reason: string;
}

/** Throws `declaration-unknown`, `state-conflict`, `state-altered`, `corrects-not-correctable`. */
export async function cancelDeclaration(
  ports: TaxPorts,
  ask: CancelDeclaration,
  idempotency?: (next: TaxDeclaration) => IdempotencyRecord,
): Promise<TaxDeclaration> {
  const before = await findDeclaration(ports, ask);
  if (before.status === 'accepted') return requestCancellation(ports, ask, idempotency);
  const next = await changeDeclaration(ports, ask, {
    action: 'tcr.declaration.cancelled',
    from: ['draft', 'generated', 'rejected'],
    idempotency,
    step({ liveKey: _, ...found }) {
      requireKnown(found);
      if (found.messages.some(isOnFile)) {
        const detail = 'expected no message on file: have it accepted, and cancel it then';
        throw new DomainError('state-conflict', { detail });
      }
      return { ...found, cancelReason: ask.reason, status: 'cancellation_confirmed' };
    },
  });
  await settleCancellation(ports, next);
  return next;
}

const VOIDS = { CRS: 'OECD3', FATCA: 'FATCA3' } as const;

function requestCancellation(
  ports: TaxPorts,
  ask: CancelDeclaration,
  idempotency: ((next: TaxDeclaration) => IdempotencyRecord) | undefined,
): Promise<TaxDeclaration> {
  return overwrite(async () => {
    const before = await findDeclaration(ports, ask);
    const isCorrectable = RECORD_TYPES[before.type] === 'new';
    if (!isCorrectable || (before.nilReport && before.regime === 'CRS')) {
      throw new DomainError('corrects-not-correctable');
    }
    const { change, reference } = await nextReference(ports, before);
    const made = voidOf(ports, ask, { before, reference });
    const { record: key } = ports.dataKeys.make(declarationKey(made), { seeds: [] });
    return changeDeclaration(ports, ask, {
      action: 'tcr.declaration.cancelled',
      besides: () => [
        change,
        dataKeyTable.insert(key),
        declarationTable.insert(made),
        orderOf(made, ask),
      ],
      events: () => [
        declarationEntry(ports, ask, { action: 'tcr.declaration.created', record: made }),
      ],
      from: ['accepted'],
      idempotency,
      step: (found) => ({
        ...found,
        cancelReason: ask.reason,
        status: 'cancel_requested',
        voidedBy: made.declarationId,
      }),
    });
  });
}

/** The declaration that takes it back: submitted as soon as it is generated. */
function voidOf(
  ports: TaxPorts,
  { actor, tenantId }: CancelDeclaration,
  { before, reference }: { readonly before: TaxDeclaration; readonly reference: string },
): TaxDeclaration {
  const { declarationId, filerCategory, giin, isTest, period, receivingCountry, regime } = before;
  return draftOf(
    ports,
    {
      actor,
      autoSubmit: true,
      giin,
      isTest,
      period,
      tenantId,
      type: VOIDS[regime],
      ...(filerCategory !== undefined && { filerCategory }),
    },
    {
      reference,
      terms: {
        corrects: declarationId,
        liveKey: ['correction', regime, giin, period, receivingCountry].join('/'),
        receivingCountry,
        regime,
        schema: before.schema,
      },
      transmittingCountry: before.transmittingCountry,
    },
  );
}

/** What became of a void declaration, for the one that it takes back. Does nothing twice. */
export async function settleCancellation(ports: TaxPorts, made: TaxDeclaration): Promise<void> {
  const { corrects: declarationId, status, tenantId } = made;
  const to = status === 'accepted' ? 'cancellation_confirmed' : 'accepted';
  const isOver = ['accepted', 'rejected', 'cancellation_confirmed'].includes(status);
  if (declarationId === undefined || !isOver) return;
  const before = await findDeclaration(ports, { declarationId, tenantId });
  const isOpen = before.status === 'cancel_requested' || before.status === 'accepted';
  if (before.voidedBy !== made.declarationId || !isOpen || before.status === to) return;
  await changeDeclaration(
    ports,
    { actor: SYSTEM, declarationId, tenantId },
    {
      action: 'tcr.declaration.cancelled',
      cause: `${made.reference} ${status}`,
      from: ['cancel_requested', 'accepted'],
      step: (found) => ({ ...found, status: to }),
    },
  );
}

/** Settles what a process left open that died between the two; returns how many were looked at. */
export async function settleCancellations(ports: TaxPorts, tenantId: TenantId): Promise<number> {
  const open = await allRecords(ports.tables, declarationTable, {
    equal: { status: 'cancel_requested', tenantId },
    index: 'byStatus',
  });
  for (const { voidedBy: declarationId } of open) {
    if (declarationId === undefined) continue;
    try {
      await settleCancellation(ports, await findDeclaration(ports, { declarationId, tenantId }));
    } catch (error) {
      if (!isLeft(error)) throw error;
    }
  }
  return open.length;
}

const LEFT: readonly string[] = ['declaration-unknown', 'state-altered', 'state-conflict'];

/** Another process was first, or the row was altered, which `doctor` tells: others go on. */
const isLeft = (error: unknown): boolean =>
  error instanceof DomainError && LEFT.includes(error.code);
