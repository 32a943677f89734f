/** Answers of batches to questions of the slices on their left. */
import { type BatchId, DomainError, isConflict } from '#core/kernel';
import type { EraseParts } from '#slices/audit';
import { eraseSubjects } from '#slices/batches';
import type { SliceProcess } from '../../processes.ts';
import { erasurePortsOf } from './erasurePorts.ts';

/** A batch that the backup does not have has not come back either. */
export const eraseParts = (process: SliceProcess): EraseParts => {
  const ports = erasurePortsOf(process);
  return async ({ actor, erasedIn, ordinals, reason, tenantId }) => {
    const batch = { batchId: erasedIn as BatchId, tenantId };
    try {
      await eraseSubjects(ports, { actor, batch, externalIds: [], ordinals, reason });
      return true;
    } catch (error) {
      const isGone = error instanceof DomainError && error.code === 'not-found';
      if (isGone || isConflict(error)) return false;
      throw error;
    }
  };
};
