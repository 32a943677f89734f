/**
 * Forms and drafts of their versions, as authors write them. A form has one draft at a time; any
 * edit of it voids its signatures, and counts its label anew against what is active by then.
 */
import { overwrite } from '#core/audit';
import { DomainError } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import type { FormLanguage, FormSchema, Translated } from './definition.ts';
import type { ChangeSize } from './formDiff.ts';
import {
  activeVersion,
  commitForm,
  derivedMembers,
  editorOf,
  type FormAsk,
  type FormPlace,
  type FormWithVersion,
  nextRevision,
  requireDefinition,
  requireDraft,
  requireEtag,
  requireForm,
  requireVersion,
  type VersionPlace,
} from './formRecord.ts';
import { FORMS_MAX, VERSIONS_MAX } from './limits.ts';
import type { FormPorts } from './ports.ts';
import { roles } from './roles.ts';
import { formTarget, goneVersion, heldForm, heldVersion, versionTarget } from './signedForms.ts';
import { type FormRecord, type FormVersion, formTable, formVersionTable } from './tables.ts';

/** A form as it is asked for; checked here, as authors send it. */
export interface WantedForm {
  readonly code: string;
  readonly name: Translated;
  readonly languages: unknown;
  readonly schema: unknown;
}

/** A version as it is asked for. */
export interface WantedVersion {
  /** Absent: as those of the active version. */
  readonly languages?: unknown;
  readonly schema?: unknown;
  /** The version counts as no less of a change. */
  readonly sizeAtLeast?: ChangeSize;
}

/** A form with the draft of its first version. Throws `form-invalid`, `form-code-taken`. */
export async function createForm(
  ports: FormPorts,
  ask: FormAsk,
  { code, languages, name, schema }: WantedForm,
): Promise<FormWithVersion> {
  const { tenantId } = ask;
  const editor = await editorOf(ports, ask, roles.change);
  const content = requireDefinition({ languages, schema, name });
  return overwrite(async () => {
    if ((await ports.tables.findUnique(formTable, 'byCode', { code, tenantId })) !== undefined) {
      throw new DomainError('form-code-taken', { detail: `${code} is taken` });
    }
    await requireRoom(ports, ask);
    const at = ports.clock.now();
    const form: FormRecord = {
      code,
      createdAt: at,
      createdBy: editor,
      formId: uuidV7(at, ports.random),
      languages: content.languages,
      name,
      tenantId,
      updatedAt: at,
      version: 1,
      versions: 1,
    };
    const version = newVersion(ports, form, {
      at,
      author: editor,
      content: { active: undefined, code, ...content, sizeAtLeast: 'patch' },
    });
    await commitForm(ports, ask, {
      action: 'form.created',
      at,
      changes: [formTable.insert(form), formVersionTable.insert(version)],
      editor,
      held: [heldForm(form), heldVersion(version)],
      made: { form, version },
      members: {
        code,
        form_id: form.formId,
        content_hash: version.hash,
        version_id: version.versionId,
      },
      target: formTarget(form),
    });
    return { form, version };
  });
}

async function requireRoom({ tables }: FormPorts, { tenantId }: FormAsk): Promise<void> {
  const ask = { equal: { tenantId }, index: 'key', limit: FORMS_MAX } as const;
  const { records } = await tables.page(formTable, ask);
  if (records.length < FORMS_MAX) return;
  throw new DomainError('state-conflict', { detail: `expected ${FORMS_MAX} forms at the most` });
}

interface Content {
  readonly active: FormVersion | undefined;
  readonly code: string;
  readonly languages: readonly FormLanguage[];
  readonly schema: FormSchema;
  readonly sizeAtLeast: ChangeSize;
}

function newVersion(
  ports: FormPorts,
  { formId, tenantId }: FormRecord,
  of: {
    readonly at: FormVersion['createdAt'];
    readonly author: string;
    readonly content: Content;
  },
): FormVersion {
  const { at, author, content } = of;
  return {
    ...derivedMembers(ports, content, content),
    author,
    createdAt: at,
    formId,
    signatures: [],
    status: 'Draft',
    tenantId,
    updatedAt: at,
    updatedBy: author,
    version: 1,
    versionId: uuidV7(at, ports.random),
  };
}

/**
 * The draft of the next version: a copy of the active one, or as given. Throws `form-invalid`, and
 * `state-conflict` where the form has a draft.
 */
export async function draftVersion(
  ports: FormPorts,
  ask: FormAsk & FormPlace,
  wanted: WantedVersion,
): Promise<FormWithVersion> {
  const { tenantId } = ask;
  const editor = await editorOf(ports, ask, roles.change);
  return overwrite(async () => {
    const before = await requireForm(ports, ask);
    await refuseSecondDraft(ports, before);
    const active = await activeVersion(ports, before);
    const content = contentOf(wanted, active);
    const at = ports.clock.now();
    const version = newVersion(ports, before, {
      at,
      author: editor,
      content: { active, code: before.code, ...content },
    });
    const form = nextRevision(before, { updatedAt: at, versions: before.versions + 1 });
    await commitForm(
      ports,
      { ...ask, tenantId },
      {
        action: 'form.version.drafted',
        at,
        changes: [formTable.put(form, before.version), formVersionTable.insert(version)],
        editor,
        held: [heldForm(form), heldVersion(version)],
        made: { form, version },
        members: membersOf(version),
        target: versionTarget(version),
      },
    );
    return { form, version };
  });
}

async function refuseSecondDraft(
  { tables }: FormPorts,
  { formId, tenantId, versions }: FormRecord,
): Promise<void> {
  const key = { formId, isDraft: true, tenantId };
  const open = await tables.findUnique(formVersionTable, 'draft', key);
  if (open !== undefined) {
    const detail = `version ${open.versionId} is a draft: change it, or discard it`;
    throw new DomainError('state-conflict', { detail });
  }
  if (versions < VERSIONS_MAX) return;
  const detail = `expected ${VERSIONS_MAX} versions of a form at the most`;
  throw new DomainError('state-conflict', { detail });
}

function contentOf(
  { languages, schema, sizeAtLeast = 'patch' }: WantedVersion,
  active: FormVersion | undefined,
) {
  const given = {
    languages: languages ?? active?.languages,
    schema: schema ?? active?.schema,
  };
  return { ...requireDefinition(given), sizeAtLeast };
}

/** The draft with other content. Throws `form-unknown`, `form-immutable`, `form-invalid`. */
export async function saveVersion(
  ports: FormPorts,
  ask: FormAsk & VersionPlace,
  wanted: WantedVersion,
): Promise<FormWithVersion> {
  const editor = await editorOf(ports, ask, roles.change);
  return overwrite(async () => {
    const form = await requireForm(ports, ask);
    const before = await requireVersion(ports, ask);
    requireDraft(before);
    requireEtag(before, ask.isExpected);
    const active = await activeVersion(ports, form);
    const content = contentOf(wanted, before);
    const { basedOn, basedOnLabel, ...derived } = derivedMembers(
      ports,
      { code: form.code, ...content },
      { active, sizeAtLeast: content.sizeAtLeast },
    );
    const at = ports.clock.now();
    const version = nextRevision(before, {
      ...derived,
      basedOn,
      basedOnLabel,
      signatures: [],
      signedUntil: undefined,
      updatedAt: at,
      updatedBy: editor,
    });
    await commitForm(ports, ask, {
      action: 'form.version.saved',
      at,
      changes: [formVersionTable.put(version, before.version)],
      editor,
      held: [heldVersion(version)],
      made: { form, version },
      members: { ...membersOf(version), voided_signatures: before.signatures.length },
      target: versionTarget(version),
    });
    return { form, version };
  });
}

/** Takes a draft away: by its author, or an administrator. */
export async function discardVersion(
  ports: FormPorts,
  ask: FormAsk & VersionPlace,
): Promise<FormWithVersion> {
  const { principal } = ask;
  const editor = await editorOf(ports, ask, roles.change);
  return overwrite(async () => {
    const form = await requireForm(ports, ask);
    const version = await requireVersion(ports, ask);
    requireDraft(version);
    requireEtag(version, ask.isExpected);
    const isAdministrator = principal.kind === 'cli' || principal.roles.includes('admin');
    if (version.author !== editor && !isAdministrator) {
      const detail = 'expected the author of the draft, or an administrator';
      throw new DomainError('role-insufficient', { detail });
    }
    await commitForm(ports, ask, {
      action: 'form.version.discarded',
      at: ports.clock.now(),
      changes: [formVersionTable.remove(version, version.version)],
      editor,
      held: [goneVersion(version)],
      made: { form, version },
      members: membersOf(version),
      target: versionTarget(version),
    });
    return { form, version };
  });
}

const membersOf = (version: FormVersion) => ({
  based_on: version.basedOn ?? null,
  form_id: version.formId,
  content_hash: version.hash,
  version: version.label,
  version_id: version.versionId,
});
