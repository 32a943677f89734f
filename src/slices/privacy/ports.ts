/** What the rules of privacy requests need: store and evidence. */
import type { Actor, CommitEvidence } from '#core/audit';
import type { Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { SignedPrivacy } from './signedPrivacy.ts';

/** What reads requests and flags as they were signed. */
export interface PrivacyReads {
  readonly tables: Pick<Tables, 'find' | 'page'>;
  readonly signed: SignedPrivacy;
}

/** What changes them. */
export interface PrivacyPorts extends PrivacyReads {
  readonly clock: Pick<Clock, 'now'>;
  readonly commit: CommitEvidence;
  readonly random: Random;
}

/** Who acts. */
export interface PrivacyActor {
  readonly tenantId: TenantId;
  /** `person:<id>` for one who is registered, whatever account they use. */
  readonly actor: Actor;
  readonly isPerson: boolean;
  readonly ip?: string;
}
