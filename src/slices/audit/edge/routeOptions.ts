/** What the operations of the trail work with. */
import type { AuditLog, AuditStore, SignedEvents, TrailStore } from '#core/audit';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { CursorCodec } from '../../../api/cursor.ts';

export interface AuditRouteOptions {
  readonly audit: Pick<AuditStore, 'findByEventId'> & TrailStore;
  /** Names of all actions. */
  readonly actions: readonly string[];
  readonly signed: Pick<SignedEvents, 'read'>;
  readonly clock: Pick<Clock, 'monotonicMs' | 'now'>;
  readonly random: Random;
  readonly commit: AuditLog['commit'];
  readonly cursors: CursorCodec;
}
