/**
 * What a slice's tests use in place of storage: the model's tables, and a commit over them that
 * keeps what it was given. It refuses as the real one does: `StaleChange` with nothing written, and
 * `IdempotencyTaken`. Events are numbered per chain; their hashes are made up.
 */
import {
  type AuditLog,
  type Commit,
  type EventDraft,
  GENESIS_HASH,
  type IdempotencyRecord,
  IdempotencyTaken,
  type SealedEvent,
  StaleChange,
} from '#core/audit';
import type { AnyTable, BusEvent, ChainId } from '#core/kernel';
import { createModelTables, type ModelTables } from './modelTables.ts';

export interface ModelHouse extends ModelTables {
  readonly commit: AuditLog['commit'];
  /** What was committed, in order. */
  readonly commits: readonly { readonly chainId: ChainId; readonly commit: Commit }[];
  readonly bus: readonly BusEvent[];
  /** Drafts of the events, in order. */
  readonly events: readonly EventDraft[];
  /** Runs once, before the next commit is looked at: another process was faster. */
  overtake(step: () => Promise<unknown> | unknown): void;
}

export function modelHouse(tables: readonly AnyTable[]): ModelHouse {
  const model = createModelTables(tables);
  const commits: { chainId: ChainId; commit: Commit }[] = [];
  const bus: BusEvent[] = [];
  const events: EventDraft[] = [];
  const seqs = new Map<ChainId, number>();
  const taken = new Map<string, IdempotencyRecord>();
  const steps: (() => Promise<unknown> | unknown)[] = [];

  const commit: AuditLog['commit'] = async (chainId, given) => {
    await steps.shift()?.();
    const seq = seqs.get(chainId) ?? 0;
    const sealed = given.events.map((draft, index) => seal(draft, seq + index + 1));
    const idempotency = given.idempotency?.(sealed);
    if (idempotency !== undefined && taken.has(idempotency.scope))
      throw new IdempotencyTaken(idempotency.scope);
    const stale = model.apply(chainId, given.changes);
    if (stale !== undefined) throw new StaleChange(stale);
    seqs.set(chainId, seq + sealed.length);
    if (idempotency !== undefined) taken.set(idempotency.scope, idempotency);
    commits.push({ chainId, commit: given });
    events.push(...given.events);
    bus.push(...given.bus);
    return { events: sealed, ...(idempotency && { idempotency }) };
  };

  return { ...model, bus, commit, commits, events, overtake: (step) => void steps.push(step) };
}

function seal({ members, open, ...draft }: EventDraft, seq: number): SealedEvent {
  return {
    ...draft,
    body: JSON.stringify(members),
    hash: GENESIS_HASH,
    open: JSON.stringify(open),
    seq,
  };
}
