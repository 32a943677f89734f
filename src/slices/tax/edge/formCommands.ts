/** `tax form …`: forms of holders at the command line. */
import { entry } from '#core/audit';
import { chainOf, type TenantId } from '#core/kernel';
import {
  addForm,
  FORM_TYPES,
  findForm,
  formTarget,
  listForms,
  readFormContent,
  type StoredForm,
  type TaxForm,
} from '#slices/tax';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import { jsonOf } from './accountCommands.ts';
import { presentForm, presentFormRow } from './formPresentation.ts';
import { taxPortsOf } from './parts.ts';

const TENANT = { name: 'tenant', value: 'ID', required: true, help: "the tenant's id" } as const;
const SHOWN_FORMS = 50;

/** Forms that come, and those that are there. */
export const formCommands: readonly SliceCommand[] = [
  {
    words: 'tax form add',
    summary: 'Take a form of a holder from a JSON file: exit 0 once it counts, else 1',
    options: [TENANT],
    positionals: [{ name: 'FILE', help: 'the form, as in POST /v1/tcr/forms' }],
    example: 'tax form add --tenant 0190… w8ben.json',
    async run({ actor, open, output }, given) {
      const ports = taxPortsOf(await open());
      const stored = await addForm(ports, {
        actor,
        form: await jsonOf(given.positionals[0] ?? ''),
        tenantId: given.value('tenant') as TenantId,
      });
      output.result(presentForm(stored), told(stored));
      return stored.record.status === 'valid' ? EXIT.done : EXIT.bad;
    },
  },
  {
    words: 'tax form list',
    summary: 'List forms of holders, latest first, or those that end first',
    options: [
      TENANT,
      { name: 'holder', value: 'REF', help: 'of this holder' },
      { name: 'type', value: 'TYPE', help: FORM_TYPES.join(', ') },
      { name: 'expiring-before', value: 'DAY', help: 'those that count and end before it' },
    ],
    example: 'tax form list --tenant 0190… --expiring-before 2027-01-01',
    async run({ open, output }, given) {
      const subjectRef = given.optional('holder');
      const expiringBefore = given.optional('expiring-before');
      const type = typeOf(given.optional('type'));
      const { records } = await listForms(taxPortsOf(await open()), {
        limit: SHOWN_FORMS,
        tenantId: given.value('tenant') as TenantId,
        ...(expiringBefore !== undefined && { expiringBefore }),
        ...(subjectRef !== undefined && { subjectRef }),
        ...(type !== undefined && { type }),
      });
      output.result(
        { forms: records.map(presentFormRow) },
        table(['ID', 'HOLDER', 'TYPE', 'STATUS', 'UNTIL', 'CURE'], records.map(rowOf)),
      );
      return EXIT.done;
    },
  },
  {
    words: 'tax form show',
    summary: 'Show a form with all that stands on it; that it was read is an entry',
    options: [TENANT],
    positionals: [{ name: 'FORM', help: 'the id of the form' }],
    example: 'tax form show --tenant 0190… 0190…',
    async run({ actor, open, output }, given) {
      const ports = taxPortsOf(await open());
      const tenantId = given.value('tenant') as TenantId;
      const record = await findForm(ports, { formId: given.positionals[0] ?? '', tenantId });
      const content = await readFormContent(ports, record);
      const target = formTarget(record);
      const viewed = entry(ports, { action: 'tcr.form.viewed', actor, target });
      await ports.commit(chainOf(tenantId), { bus: [], changes: [], events: [viewed] });
      const stored = { content, record };
      output.result(presentForm(stored), told(stored));
      return EXIT.done;
    },
  },
];

function typeOf(text: string | undefined): TaxForm['type'] | undefined {
  if (text === undefined) return undefined;
  const type = FORM_TYPES.find((one) => one === text);
  if (type === undefined) throw new UsageError(`--type: expected ${FORM_TYPES.join(', ')}`);
  return type;
}

const rowOf = (form: TaxForm): readonly string[] => [
  form.formId,
  form.subjectRef,
  form.type,
  form.status,
  form.validUntil ?? '',
  form.change?.cureDue ?? form.cureDue ?? '',
];

const told = ({ content, record }: StoredForm): string =>
  [
    `${record.formId}: ${record.type}, ${record.status}`,
    ...content.findings.map(({ code, pointer, severity }) => `${severity} ${code} ${pointer}`),
  ].join('\n');
