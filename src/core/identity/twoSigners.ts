/**
 * What two persons sign to publish it (decision 3.3): who may sign, which signature counts, and
 * that the two are two, of both sides of a pair of roles. Pure: the caller passes persons and time,
 * and commits what uses a signature up.
 */
import type { JsonObject } from '#core/audit';
import { DomainError, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  type Approval,
  type DualControlSubject,
  type RolePair,
  requireRolePair,
  requireSigner,
  signatureKey,
  type VerifiedSignature,
  verifySignature,
} from './dualControl.ts';
import type { Person, Role } from './ports.ts';

/** One person's signature, as it is kept with what was signed. */
export interface PublicationSignature {
  /** Person id. */
  readonly signer: string;
  /** Roles of the pair that the signer held. */
  readonly roles: readonly Role[];
  readonly keyId: string;
  /** RFC 3339 UTC, as it was signed. */
  readonly timestamp: string;
  /** Base64. */
  readonly signature: string;
}

/** A signature as its signer sends it. */
export interface GivenSignature {
  /** Person id; absent: the caller. */
  readonly signer?: string;
  /** Base64. */
  readonly signature: string;
  /** RFC 3339 UTC, as it was signed. */
  readonly timestamp: string;
}

/** A signature that counts, with its signer as they are registered now. */
export interface CountedSignature {
  readonly person: Person;
  readonly signature: PublicationSignature;
}

/** One that was given now, and is not yet used up. */
export interface FreshSignature extends CountedSignature {
  readonly verified: VerifiedSignature;
}

/** What is signed, in whose name, and who is registered now. */
export interface SignedBy {
  /** As the signed bytes name the author. */
  readonly author: string;
  readonly now: EpochMs;
  readonly persons: readonly Person[];
  readonly subject: DualControlSubject;
}

/** As the signed bytes name the last editor: a person’s id, else as entries name actors. */
export const signedAuthorOf = ({ updatedBy }: { readonly updatedBy: string }): string =>
  updatedBy.replace(/^person:/, '');

/** The rules of one kind of publication. */
export interface TwoSigners {
  /** Roles of a person that count. */
  rolesOf(person: Pick<Person, 'roles'>): readonly Role[];
  /** Throws `dual-control-…`. `caller` signs where none is named, as entries name actors. */
  verify(
    given: GivenSignature,
    of: SignedBy & { readonly caller: string; readonly tenantId: TenantId },
  ): FreshSignature;
  /** What was signed before and counts still: by who may sign, with a key that is not revoked. */
  counted(signatures: readonly PublicationSignature[], of: SignedBy): readonly CountedSignature[];
  /** Throws `dual-control-same-person`, `dual-control-roles`. */
  requireBoth(first: Person, second: Person): void;
  /** The second signature, given at `/v1/approvals`. Throws as `requireBoth`. */
  secondOf(first: Person, approval: Approval): PublicationSignature;
}

/** For publications that a person of each side signs. */
export function twoSigners(pair: RolePair): TwoSigners {
  const signerRoles = [...pair.first, ...pair.second];
  const rolesOf: TwoSigners['rolesOf'] = ({ roles }) =>
    roles.filter((role) => signerRoles.includes(role));
  const requireBoth: TwoSigners['requireBoth'] = (first, second) => {
    if (first.id === second.id) {
      const detail = 'expected the signatures of two persons';
      throw new DomainError('dual-control-same-person', { detail });
    }
    requireRolePair(first, second, pair);
  };
  return {
    counted: (signatures, { author, now, persons, subject }) =>
      signatures.flatMap((signature) => {
        const signer = persons.find(({ id }) => id === signature.signer);
        if (signer === undefined || rolesOf(signer).length === 0) return [];
        const keyId = signatureKey({ ...signature, author, now, signer, subject });
        return keyId === undefined ? [] : [{ person: signer, signature }];
      }),
    requireBoth,
    rolesOf,
    secondOf(first, { approver, keyId, signature, timestamp }) {
      requireBoth(first, approver);
      return { keyId, roles: rolesOf(approver), signature, signer: approver.id, timestamp };
    },
    verify({ signature, signer, timestamp }, { caller, persons, tenantId, ...signed }) {
      const named = signer ?? signedAuthorOf({ updatedBy: caller });
      const person = persons.find(({ id }) => id === named);
      if (person === undefined) {
        const detail = 'the signer is not registered';
        throw new DomainError('dual-control-signature-invalid', { detail });
      }
      requireSigner(person, pair);
      const verified = verifySignature({
        ...signed,
        signature,
        signer: person,
        tenantId,
        timestamp,
      });
      const { keyId } = verified;
      const roles = rolesOf(person);
      return {
        person,
        signature: { keyId, roles, signature, signer: person.id, timestamp },
        verified,
      };
    },
  };
}

/** A signature as it stands in evidence and on the wire. */
export const presentSignature = ({
  keyId,
  roles,
  signature,
  signer,
  timestamp,
}: PublicationSignature): JsonObject => ({
  key_id: keyId,
  roles: [...roles],
  signature,
  signer,
  timestamp,
});

/** A conflict in the changes that use signatures up is a second use; others are repeated. */
export const asOneUse = (signatures: readonly unknown[]) => ({
  mayRepeat: ({ changeIndex }: { readonly changeIndex: number }): true => {
    if (changeIndex < signatures.length) throw new DomainError('dual-control-replayed');
    return true;
  },
});
