/**
 * A form ends before its time: a change of circumstances makes it incorrect, and a new one is
 * awaited for ninety days; or somebody revokes it, and it never counts again.
 */
import { overwrite } from '#core/audit';
import { DomainError } from '#core/kernel';
import type { TaxAsk } from './classifySubject.ts';
import { dayOf, daysAfter } from './days.ts';
import { readFormContent, sealForm } from './formContent.ts';
import { FORM_FIGURES, hasHolderDuty } from './formRules.ts';
import {
  commitForm,
  findForm,
  type KeptForm,
  nextForm,
  type StoredForm,
  withoutDue,
} from './formSteps.ts';
import type { FormChange, FormStatus, TaxForm } from './formTable.ts';
import { keyFor } from './holderContent.ts';
import type { TaxPorts } from './ports.ts';

/** Which form, and who asks. */
export interface FormAsk extends TaxAsk {
  readonly formId: string;
}

/** What has changed; `noticedOn` is when the institution came to know, absent: today. */
export interface ChangeOfForm extends FormAsk {
  readonly reason: FormChange['reason'];
  readonly explanation?: string;
  readonly noticedOn?: string;
}

const RUNNING: readonly FormStatus[] = ['valid', 'expiring'];

/** Throws `tax-form-unknown`, `form-fields-invalid`, `state-conflict`, `state-altered`. */
export const noteChange = (
  ports: TaxPorts,
  ask: ChangeOfForm,
  idempotency?: KeptForm,
): Promise<StoredForm> =>
  overwrite(async () => {
    const before = await findForm(ports, ask);
    requireOneOf(before, RUNNING);
    const today = dayOf(ports.clock.now());
    const noticedOn = ask.noticedOn ?? today;
    requireNoticed(before, noticedOn, today);
    const change: FormChange = {
      cureDue: daysAfter(noticedOn, FORM_FIGURES.cureDays),
      noticedOn,
      reason: ask.reason,
      ...(hasHolderDuty(before.type) && {
        holderDue: daysAfter(noticedOn, FORM_FIGURES.holderDays),
      }),
    };
    const { content, ...sealed } = await noted(ports, ask, before, ask.explanation);
    const next: Partial<TaxForm> = { ...sealed, change, status: 'invalidated_by_change' };
    const record = withoutDue(nextForm(before, next, ports.clock.now()));
    const stored = { content, record };
    await commitForm(ports, ask, {
      action: 'tcr.form.changed',
      before,
      kept: idempotency && (() => idempotency(stored)),
      members: { cure_due: change.cureDue, reason: change.reason },
      record,
    });
    return stored;
  });

/** Throws `tax-form-unknown`, `state-conflict`, `state-altered`. */
export const revokeForm = (
  ports: TaxPorts,
  ask: FormAsk & { readonly reason: string },
  idempotency?: KeptForm,
): Promise<StoredForm> =>
  overwrite(async () => {
    const before = await findForm(ports, ask);
    requireOneOf(before, [...RUNNING, 'invalidated_by_change']);
    const { content, ...sealed } = await noted(ports, ask, before, ask.reason);
    const next: Partial<TaxForm> = { ...sealed, status: 'revoked' };
    const record = withoutDue(nextForm(before, next, ports.clock.now()));
    const stored = { content, record };
    await commitForm(ports, ask, {
      action: 'tcr.form.revoked',
      before,
      kept: idempotency && (() => idempotency(stored)),
      record,
    });
    return stored;
  });

function requireOneOf({ status }: TaxForm, statuses: readonly FormStatus[]): void {
  if (statuses.includes(status)) return;
  throw new DomainError('state-conflict', { detail: `the form is ${status}` });
}

function requireNoticed({ signedOn = '' }: TaxForm, noticedOn: string, today: string): void {
  if (noticedOn >= signedOn && noticedOn <= today) return;
  const detail = 'expected a day from that of the signature to today';
  throw new DomainError('form-fields-invalid', {
    violations: [{ code: 'range', detail, pointer: '/noticed_on' }],
  });
}

/** The content with what a person wrote, sealed anew. */
async function noted(
  ports: TaxPorts,
  { actor }: TaxAsk,
  before: TaxForm,
  text: string | undefined,
): Promise<Pick<TaxForm, 'blob' | 'contentHash'> & { readonly content: StoredForm['content'] }> {
  const { salt: _, ...former } = await readFormContent(ports, before);
  if (text === undefined) {
    return { blob: before.blob, content: former, contentHash: before.contentHash };
  }
  const note = { by: actor, on: dayOf(ports.clock.now()), text };
  const content = { ...former, notes: [...former.notes, note] };
  const { key } = await keyFor(ports, before);
  return { ...(await sealForm(ports, content, key)), content };
}
