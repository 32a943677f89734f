/** What entries say of exclusions. Each names the digest of every exclusion as it became. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  SANCTIONS_EXCLUSION_ADDED: {
    says: 'A person decided that a subject is not a listed party; another one may have to agree.',
  },
  SANCTIONS_EXCLUSION_APPROVED: { says: 'Another person agreed, and the exclusion holds.' },
  SANCTIONS_EXCLUSION_REVOKED: { says: 'A person ended an exclusion, or refused a proposed one.' },
  SANCTIONS_EXCLUSION_EXPIRED: { says: 'The time of exclusions was over.' },
  SANCTIONS_EXCLUSION_ENDED: {
    says: 'The list published other identifying data of listed parties: their exclusions ended.',
  },
  SANCTIONS_EXCLUSION_ERASED: {
    says: 'The person whom exclusions were about was erased: they ended, under a pseudonym.',
  },
  SANCTIONS_EXCLUSIONS_CHECKED: {
    says: 'All exclusions of a list were compared with a version of it, which is named.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
