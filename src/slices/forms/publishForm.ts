/**
 * Two persons sign a version, one of compliance and one of administration or DSI, and the second
 * signature makes it the active one (decision 3.3): one commit archives the former one, tells of
 * the new one, and uses the signatures up.
 */
import { type Actor, type JsonObject, overwrite } from '#core/audit';
import {
  type DualControlSubject,
  otherSignerRoles,
  type Person,
  requireRolePair,
  signatureKey,
  type VerifiedSignature,
  verifySignature,
} from '#core/identity';
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  activeVersion,
  commitForm,
  editorOf,
  type FormAsk,
  type FormWithVersion,
  nextRevision,
  requireDraft,
  requireEtag,
  requireForm,
  requireVersion,
  type VersionPlace,
} from './formRecord.ts';
import { SIGNED_MS } from './limits.ts';
import type { FormPorts, FormReadPorts } from './ports.ts';
import { FORM_ROLE_PAIR, roles } from './roles.ts';
import { heldForm, heldVersion, versionTarget } from './signedForms.ts';
import {
  type FormRecord,
  type FormSignature,
  type FormVersion,
  formTable,
  formVersionTable,
} from './tables.ts';

/** A signature as its signer sends it. */
export interface GivenSignature {
  /** Person id; absent: the caller. */
  readonly signer?: string;
  /** Base64. */
  readonly signature: string;
  /** RFC 3339 UTC, as it was signed. */
  readonly timestamp: string;
}

/** What a signer sends. */
export interface PublishAsk extends FormAsk, VersionPlace {
  /** One, or both. */
  readonly signatures: readonly GivenSignature[];
  readonly comment?: string;
}

/** As the signed bytes name the last editor. */
export const authorOf = ({ updatedBy }: Pick<FormVersion, 'updatedBy'>): string =>
  updatedBy.replace(/^person:/, '');

/** What both persons sign of a version. */
export const publicationSubject = ({
  basedOnLabel,
  formId,
  hash,
  label,
  versionId,
}: Pick<
  FormVersion,
  'basedOnLabel' | 'formId' | 'hash' | 'label' | 'versionId'
>): DualControlSubject => ({
  field: 'publish',
  newValue: { base_version: basedOnLabel ?? null, content_hash: hash, version: label },
  resource: `form:${formId}:${versionId}`,
});

/** A draft with what is active, which it was drafted upon. */
export interface AwaitedVersion {
  readonly active: FormVersion | undefined;
  readonly draft: FormVersion;
  readonly form: FormRecord;
}

/**
 * Throws `form-unknown`, `form-immutable`, and `state-conflict` where another version became active
 * since it was drafted.
 */
export async function awaitedVersion(
  ports: FormReadPorts,
  place: VersionPlace,
): Promise<AwaitedVersion> {
  const form = await requireForm(ports, place);
  const draft = await requireVersion(ports, place);
  requireDraft(draft);
  const active = await activeVersion(ports, form);
  if (active?.versionId === draft.basedOn) return { active, draft, form };
  const detail =
    `version ${active?.label ?? 'none'} became active since this was drafted upon ` +
    `${draft.basedOnLabel ?? 'none'}: save the draft anew`;
  throw new DomainError('state-conflict', { detail });
}

interface Counted {
  readonly person: Person;
  readonly signature: FormSignature;
}
type Fresh = Counted & { readonly verified: VerifiedSignature };

interface Signing extends AwaitedVersion {
  readonly ask: PublishAsk;
  readonly editor: Actor;
  readonly now: EpochMs;
  readonly persons: readonly Person[];
}

/**
 * The version: active where both have signed now, else a draft that waits for the second person.
 * Throws as `awaitedVersion`, and `dual-control-…`.
 */
export async function publishForm(ports: FormPorts, ask: PublishAsk): Promise<FormWithVersion> {
  const editor = await editorOf(ports, ask, roles.publish);
  return overwrite(
    async () => {
      const awaited = await awaitedVersion(ports, ask);
      requireEtag(awaited.draft, ask.isExpected);
      const persons = await ports.listPersons(ask.tenantId);
      return sign(ports, { ...awaited, ask, editor, now: ports.clock.now(), persons });
    },
    {
      mayRepeat: ({ changeIndex }) => {
        if (changeIndex < ask.signatures.length) throw new DomainError('dual-control-replayed');
        return true;
      },
    },
  );
}

async function sign(ports: FormPorts, signing: Signing): Promise<FormWithVersion> {
  const { ask, draft, editor, form, now, persons } = signing;
  const fresh = ask.signatures.map((given) => verify(signing, given));
  const standing = fresh.length > 1 ? [] : countedSignatures(draft, { now, persons });
  const [first, second] = [...standing, ...fresh];
  if (first === undefined) throw new DomainError('dual-control-signature-invalid');
  const consume = fresh.map(({ verified }) => verified.consume);
  const open = ask.comment === undefined ? {} : { open: { comment: ask.comment } };
  if (second !== undefined) {
    if (first.person.id === second.person.id) {
      const detail = 'expected the signatures of two persons';
      throw new DomainError('dual-control-same-person', { detail });
    }
    requireRolePair(first.person, second.person, FORM_ROLE_PAIR);
    const { commit, made } = publicationOf(signing, [first.signature, second.signature]);
    const changes = [...consume, ...commit.changes];
    await commitForm(ports, ask, { ...commit, ...open, changes, editor });
    return made;
  }
  const signed = nextRevision(draft, {
    signatures: [first.signature],
    signedUntil: (now + SIGNED_MS) as EpochMs,
  });
  const made = { form, version: signed };
  await commitForm(ports, ask, {
    ...open,
    action: 'form.version.signed',
    at: now,
    changes: [...consume, formVersionTable.put(signed, draft.version)],
    editor,
    held: [heldVersion(signed)],
    made,
    members: {
      form_id: signed.formId,
      content_hash: signed.hash,
      signatures: signed.signatures.map(presentSignature),
      version: signed.label,
    },
    target: versionTarget(signed),
  });
  return made;
}

/** The commit that makes a version the active one, but for who does it. */
export function publicationOf(
  { active, draft, form, now }: AwaitedVersion & { readonly now: EpochMs },
  signatures: readonly FormSignature[],
) {
  const version = nextRevision(draft, {
    publishedAt: now,
    signatures,
    signedUntil: undefined,
    status: 'active',
  });
  const archived = active && nextRevision(active, { archivedAt: now, status: 'Archived' });
  const next = nextRevision(form, {
    activeVersion: version.label,
    activeVersionId: version.versionId,
    languages: version.languages,
    updatedAt: now,
  });
  const made: FormWithVersion = { form: next, version };
  const commit = {
    action: 'form.published',
    at: now,
    bus: [publishedEvent(version)],
    changes: [
      // The former one first: one version is active at any time.
      ...(active && archived ? [formVersionTable.put(archived, active.version)] : []),
      formVersionTable.put(version, draft.version),
      formTable.put(next, form.version),
    ],
    held: [
      heldForm(next),
      heldVersion(version),
      ...(archived === undefined ? [] : [heldVersion(archived)]),
    ],
    made,
    members: {
      added_fields: version.addedFields,
      author: version.updatedBy,
      changed_fields: version.changedFields,
      form_id: version.formId,
      content_hash: version.hash,
      previous_version: active?.label ?? null,
      removed_fields: version.removedFields,
      signatures: signatures.map(presentSignature),
      version: version.label,
    },
    severity: 'NOTICE',
    target: versionTarget(version),
  } as const;
  return { commit, made };
}

function verify(
  { ask: { tenantId }, draft, editor, now, persons }: Signing,
  { signature, signer, timestamp }: GivenSignature,
): Fresh {
  const named = signer ?? authorOf({ updatedBy: editor });
  const person = persons.find(({ id }) => id === named);
  if (person === undefined) {
    const detail = 'the signer is not registered';
    throw new DomainError('dual-control-signature-invalid', { detail });
  }
  requireSigner(person);
  const subject = publicationSubject(draft);
  const of = { author: authorOf(draft), now, signature, signer: person, subject, timestamp };
  const verified = verifySignature({ ...of, tenantId });
  return {
    person,
    signature: {
      keyId: verified.keyId,
      roles: signerRolesOf(person),
      signature,
      signer: person.id,
      timestamp,
    },
    verified,
  };
}

const PAIR_ROLES = [...FORM_ROLE_PAIR.first, ...FORM_ROLE_PAIR.second];
/** Roles of a person that count for a publication. */
export const signerRolesOf = ({ roles: held }: Pick<Person, 'roles'>) =>
  held.filter((role) => PAIR_ROLES.includes(role));

function requireSigner(person: Person): void {
  if (otherSignerRoles(person, FORM_ROLE_PAIR).length > 0) return;
  const detail = `expected a signer with one of the roles ${PAIR_ROLES.join(', ')}`;
  throw new DomainError('dual-control-roles', { detail });
}

/** Signatures as they count now: a lone one lapses. */
export const liveSignatures = (
  { signatures, signedUntil, status }: Pick<FormVersion, 'signatures' | 'signedUntil' | 'status'>,
  now: EpochMs,
): readonly FormSignature[] => (status === 'Draft' && (signedUntil ?? 0) <= now ? [] : signatures);

/** What was signed before and counts still. */
export function countedSignatures(
  draft: FormVersion,
  { now, persons }: Pick<Signing, 'now' | 'persons'>,
): readonly Counted[] {
  const author = authorOf(draft);
  const subject = publicationSubject(draft);
  return liveSignatures(draft, now).flatMap((signature) => {
    const signer = persons.find(({ id }) => id === signature.signer);
    if (signer === undefined || signerRolesOf(signer).length === 0) return [];
    const keyId = signatureKey({ ...signature, author, now, signer, subject });
    return keyId === undefined ? [] : [{ person: signer, signature }];
  });
}

/** A signature as it stands in evidence and on the wire. */
export const presentSignature = ({
  keyId,
  roles: held,
  signature,
  signer,
  timestamp,
}: FormSignature): JsonObject => ({
  key_id: keyId,
  roles: [...held],
  signature,
  signer,
  timestamp,
});

const publishedEvent = ({ formId, hash, label, tenantId, versionId }: FormVersion) =>
  ({
    partition: tenantId,
    payload: { form_id: formId, hash, version: label, version_id: versionId },
    topic: 'form.published',
  }) as const;
