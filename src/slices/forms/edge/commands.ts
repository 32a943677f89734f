/** Noun `form` of the command line: `list`, `show`, `draft`, `sign`, `publish`. */
import { tellRefusals } from '#core/audit';
import { DomainError, type TenantId } from '#core/kernel';
import {
  checkForms,
  createForm,
  draftVersion,
  type FormAsk,
  type FormRecord,
  type FormVersion,
  formTable,
  formVersionTable,
  listForms,
  publishForm,
  requireForm,
  requireVersion,
  saveVersion,
  usageOf,
} from '#slices/forms';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { printable, table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCheck, SliceCommand } from '../../processes.ts';
import { type FormParts, formPartsOf } from './parts.ts';
import { presentForm, presentVersion } from './presentation.ts';
import { signCommand } from './signCommand.ts';

const SHOWN = 200;
const COMMENT_CHARS_MAX = 4_000;
const CODE = [{ name: 'CODE', help: 'a form, of `form list`' }] as const;

/** Whether forms and versions are what their last signed entries made them. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'forms',
    async look(process) {
      const refusals: string[] = [];
      let count = 0;
      for (const { id } of await process.identity.listTenants()) {
        const found = await checkForms(formPartsOf(process), id);
        count += found.count;
        refusals.push(...found.refusals);
      }
      return tellRefusals(refusals, `${count} forms and versions are what was signed`);
    },
  },
];

const tenantOf = (given: Given): TenantId => given.value('tenant') as TenantId;

async function formNamed(ports: FormParts, given: Given): Promise<FormRecord> {
  const tenantId = tenantOf(given);
  const code = given.positionals[0] ?? '';
  const row = await ports.tables.findUnique(formTable, 'byCode', { code, tenantId });
  if (row === undefined) throw new DomainError('form-unknown', { detail: 'no form has this code' });
  return requireForm(ports, row);
}

/** The draft of a form, else what is active. */
async function newestOf(ports: FormParts, form: FormRecord): Promise<FormVersion> {
  const draft = await draftOf(ports, form);
  if (draft !== undefined) return draft;
  const { activeVersionId: versionId, formId, tenantId } = form;
  if (versionId !== undefined) return requireVersion(ports, { formId, tenantId, versionId });
  throw new DomainError('form-unknown', { detail: 'the form has no version' });
}

async function draftOf(ports: FormParts, form: FormRecord): Promise<FormVersion | undefined> {
  const { formId, tenantId } = form;
  const key = { formId, isDraft: true, tenantId };
  const row = await ports.tables.findUnique(formVersionTable, 'draft', key);
  return row && requireVersion(ports, row);
}

const shownOf = ({ code }: FormRecord, version: FormVersion, { clock }: FormParts) => ({
  code,
  ...presentVersion(version, clock.now()),
});

const lineOf = ({ code }: FormRecord, version: FormVersion): string =>
  `${code}  ${version.label}  ${version.status}  ${version.hash}  ${version.versionId}`;

const list: SliceCommand = {
  words: 'form list',
  summary: 'List the forms of a tenant, latest first',
  options: [TENANT],
  example: 'form list --tenant 0190…',
  async run({ open, output }, given) {
    const ports = formPartsOf(await open());
    const { forms } = await listForms(ports, { limit: SHOWN, tenantId: tenantOf(given) });
    const now = ports.clock.now();
    const rows = await Promise.all(
      forms.map(async (form) => presentForm(form, await usageOf(ports, { ...form, now }))),
    );
    output.result(
      { forms: rows },
      table(
        ['CODE', 'ACTIVE', 'LANGUAGES', 'USED', 'UPDATED', 'ID'],
        rows.map((row) => [
          row.code,
          row.active_version ?? '-',
          row.languages.join(', '),
          String(row.usage_30d),
          row.updated_at,
          row.form_id,
        ]),
      ),
    );
    return EXIT.done;
  },
};

const show: SliceCommand = {
  words: 'form show',
  summary: 'Show the draft of a form, or its active version where there is none',
  options: [TENANT],
  positionals: CODE,
  example: 'form show --tenant 0190… onboarding_individual --json',
  async run({ open, output }, given) {
    const ports = formPartsOf(await open());
    const form = await formNamed(ports, given);
    const version = await newestOf(ports, form);
    const shown = shownOf(form, version, ports);
    const text = JSON.stringify(shown, undefined, 2).split('\n').map(printable).join('\n');
    output.result(shown, text);
    return EXIT.done;
  },
};

const draft: SliceCommand = {
  words: 'form draft',
  summary: 'Make a form, or save the draft of its next version, from a file',
  options: [TENANT],
  positionals: [{ name: 'FILE', help: 'code, name, languages and schema, as JSON' }],
  example: 'form draft --tenant 0190… onboarding.json',
  async run({ actor, open, output }, given) {
    const { readJsonFile } = await import('../../../cli/signatures.ts');
    const file = given.positionals[0] ?? '';
    const content = (await readJsonFile(file)) as Partial<Record<string, unknown>> | null;
    const { code, languages, name, schema } = content ?? {};
    if (typeof code !== 'string') throw new UsageError(`${file}: code: expected a text`);
    const ports = formPartsOf(await open());
    const tenantId = tenantOf(given);
    const ask: FormAsk = { principal: { actor, kind: 'cli' }, tenantId };
    const row = await ports.tables.findUnique(formTable, 'byCode', { code, tenantId });
    const wanted = { languages, schema };
    const made =
      row === undefined
        ? await createForm(ports, ask, {
            ...wanted,
            code,
            name: (name ?? {}) as FormRecord['name'],
          })
        : await saveOrDraft(ports, { ...ask, formId: row.formId }, { form: row, wanted });
    output.result(shownOf(made.form, made.version, ports), lineOf(made.form, made.version));
    return EXIT.done;
  },
};

async function saveOrDraft(
  ports: FormParts,
  ask: FormAsk & { readonly formId: string },
  of: { readonly form: FormRecord; readonly wanted: Parameters<typeof saveVersion>[2] },
) {
  const open = await draftOf(ports, of.form);
  return open === undefined
    ? draftVersion(ports, ask, of.wanted)
    : saveVersion(ports, { ...ask, versionId: open.versionId }, of.wanted);
}

const publish: SliceCommand = {
  words: 'form publish',
  summary: 'Publish the draft of a form, by the signatures of two persons',
  options: [
    TENANT,
    {
      name: 'signature',
      value: 'FILE',
      required: true,
      repeatable: true,
      help: 'one of compliance, one of administration or DSI; both together or one by one',
    },
    { name: 'comment', value: 'TEXT', help: 'kept beside the signature' },
  ],
  positionals: CODE,
  example: 'form publish --tenant 0190… onboarding --signature ben.json --signature dora.json',
  async run({ actor, open, output }, given) {
    const { readSignature } = await import('../../../cli/signatures.ts');
    const signatures = await Promise.all(given.all('signature').map(readSignature));
    if (signatures.length > 2) throw new UsageError('--signature: expected one or two');
    const comment = given.optional('comment');
    if (comment !== undefined && comment.length > COMMENT_CHARS_MAX) {
      throw new UsageError(`--comment: expected ${COMMENT_CHARS_MAX} characters at the most`);
    }
    const ports = formPartsOf(await open());
    const form = await formNamed(ports, given);
    const waiting = await draftOf(ports, form);
    if (waiting === undefined) {
      throw new DomainError('form-unknown', { detail: 'the form has no draft' });
    }
    const made = await publishForm(ports, {
      formId: form.formId,
      principal: { actor, kind: 'cli' },
      signatures,
      tenantId: form.tenantId,
      versionId: waiting.versionId,
      ...(comment !== undefined && { comment }),
    });
    output.result(shownOf(made.form, made.version, ports), lineOf(made.form, made.version));
    return EXIT.done;
  },
};

export const commands: readonly SliceCommand[] = [list, show, draft, signCommand, publish];
