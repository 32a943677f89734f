/**
 * How many uploads a tenant may have under way in this process. Each holds a socket, a file that
 * grows and memory, for as long as its caller likes to take.
 */
import { DomainError, type TenantId } from '#domain/kernel';

export const UPLOADS_PER_TENANT_MAX = 16;
const RETRY_AFTER_S = 5;

export class UploadSlots {
  readonly #underWay = new Map<TenantId, number>();

  /** Runs `upload` in a slot. Rejects with `rate-limited` where none is free. */
  async hold<Received>(tenantId: TenantId, upload: () => Promise<Received>): Promise<Received> {
    const before = this.#underWay.get(tenantId) ?? 0;
    if (before >= UPLOADS_PER_TENANT_MAX) {
      const detail = `expected at most ${UPLOADS_PER_TENANT_MAX} uploads at once`;
      throw new DomainError('rate-limited', { detail, retryAfterS: RETRY_AFTER_S });
    }
    this.#underWay.set(tenantId, before + 1);
    try {
      return await upload();
    } finally {
      const left = (this.#underWay.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(tenantId);
      else this.#underWay.set(tenantId, left);
    }
  }
}
