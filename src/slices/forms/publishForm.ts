/**
 * Two persons sign a version, one of compliance and one of administration or DSI, and the second
 * signature makes it the active one (decision 3.3): one commit archives the former one, tells of
 * the new one, and uses the signatures up.
 */
import { type Actor, overwrite } from '#core/audit';
import {
  asOneUse,
  type DualControlSubject,
  type GivenSignature,
  type Person,
  type PublicationSignature,
  presentSignature,
  signedAuthorOf,
  twoSigners,
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
import { type FormRecord, type FormVersion, formTable, formVersionTable } from './tables.ts';

/** Who may sign, and which signatures count. */
export const formSigners = twoSigners(FORM_ROLE_PAIR);

/** What a signer sends. */
export interface PublishAsk extends FormAsk, VersionPlace {
  /** One, or both. */
  readonly signatures: readonly GivenSignature[];
  readonly comment?: string;
}

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
  return overwrite(async () => {
    const awaited = await awaitedVersion(ports, ask);
    requireEtag(awaited.draft, ask.isExpected);
    const persons = await ports.listPersons(ask.tenantId);
    return sign(ports, { ...awaited, ask, editor, now: ports.clock.now(), persons });
  }, asOneUse(ask.signatures));
}

async function sign(ports: FormPorts, signing: Signing): Promise<FormWithVersion> {
  const { ask, draft, editor, form, now, persons } = signing;
  const { tenantId } = ask;
  const signed = signedBy(draft, { now, persons });
  const fresh = ask.signatures.map((given) =>
    formSigners.verify(given, { ...signed, caller: editor, tenantId }),
  );
  const standing = fresh.length > 1 ? [] : countedSignatures(draft, { now, persons });
  const [first, second] = [...standing, ...fresh];
  if (first === undefined) throw new DomainError('dual-control-signature-invalid');
  const consume = fresh.map(({ verified }) => verified.consume);
  const open = ask.comment === undefined ? {} : { open: { comment: ask.comment } };
  if (second !== undefined) {
    formSigners.requireBoth(first.person, second.person);
    const { commit, made } = publicationOf(signing, [first.signature, second.signature]);
    const changes = [...consume, ...commit.changes];
    await commitForm(ports, ask, { ...commit, ...open, changes, editor });
    return made;
  }
  const pending = nextRevision(draft, {
    signatures: [first.signature],
    signedUntil: (now + SIGNED_MS) as EpochMs,
  });
  const made = { form, version: pending };
  await commitForm(ports, ask, {
    ...open,
    action: 'form.version.signed',
    at: now,
    changes: [...consume, formVersionTable.put(pending, draft.version)],
    editor,
    held: [heldVersion(pending)],
    made,
    members: {
      form_id: pending.formId,
      content_hash: pending.hash,
      signatures: pending.signatures.map(presentSignature),
      version: pending.label,
    },
    target: versionTarget(pending),
  });
  return made;
}

/** The commit that makes a version the active one, but for who does it. */
export function publicationOf(
  { active, draft, form, now }: AwaitedVersion & { readonly now: EpochMs },
  signatures: readonly PublicationSignature[],
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

/** What is signed of a version, in whose name. */
const signedBy = (version: FormVersion, known: Pick<Signing, 'now' | 'persons'>) => ({
  ...known,
  author: signedAuthorOf(version),
  subject: publicationSubject(version),
});

/** Signatures as they count now: a lone one lapses. */
export const liveSignatures = (
  { signatures, signedUntil, status }: Pick<FormVersion, 'signatures' | 'signedUntil' | 'status'>,
  now: EpochMs,
): readonly PublicationSignature[] =>
  status === 'Draft' && (signedUntil ?? 0) <= now ? [] : signatures;

/** What was signed before and counts still. */
export const countedSignatures = (draft: FormVersion, known: Pick<Signing, 'now' | 'persons'>) =>
  formSigners.counted(liveSignatures(draft, known.now), signedBy(draft, known));

const publishedEvent = ({ formId, hash, label, tenantId, versionId }: FormVersion) =>
  ({
    partition: tenantId,
    payload: { form_id: formId, hash, version: label, version_id: versionId },
    topic: 'form.published',
  }) as const;
