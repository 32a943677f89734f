/** A desk of tax reporting at which forms of holders come, and end. */
import { Hold } from '#core/work';
import {
  addForm,
  type Classified,
  classifySubject,
  dayOf,
  daysAfter,
  dueForms,
  type FormInput,
  findForm,
  inForceOf,
  readClassificationContent,
  type StoredForm,
  taxFormTable,
  watchForm,
} from '#slices/tax';
import type { MakeHarness } from '../../storage/contract/harness.ts';
import { ASK, BORN_IN_US, openTaxDesk, TENANT } from './taxDesk.ts';

const TIMES = { leaseMs: 60_000, renewMs: 20_000 };

export type FormDesk = Awaited<ReturnType<typeof openFormDesk>>;

export async function openFormDesk(makeHarness: MakeHarness) {
  const desk = await openTaxDesk(makeHarness);
  const place = (formId: string) => ({ formId, tenantId: TENANT });
  const today = () => dayOf(desk.clock.now());

  async function hold(formId: string, holder = 'one') {
    const leased = await desk.tables.claim(taxFormTable, { holder, key: place(formId) });
    return leased && new Hold(desk, taxFormTable, leased, { times: TIMES });
  }
  return {
    ...desk,
    /** Signed a week ago. */
    added: (form: FormInput, subjectRef: string) =>
      addForm(desk.ports, {
        ...ASK,
        form: {
          ...form,
          received_at: today(),
          signed_at: daysAfter(today(), -7),
          subject_ref: subjectRef,
        },
      }),
    classified: (subjectRef: string, subject: object = BORN_IN_US.subject) =>
      classifySubject(desk.ports, {
        ...ASK,
        inputs: { ...BORN_IN_US, subject } as typeof BORN_IN_US,
        subjectRef,
      }),
    find: ({ record }: StoredForm) => findForm(desk.ports, record),
    hold,
    async inForce(subjectRef: string): Promise<Classified['content']> {
      const record = await inForceOf(desk.ports, { subjectRef, tenantId: TENANT });
      if (record === undefined) throw new Error(`${subjectRef} was not classified`);
      return readClassificationContent(desk.ports, record);
    },
    place,
    /** As a worker does with all that is due. */
    async sweep(holder = 'one'): Promise<void> {
      const due = await desk.tables.page(taxFormTable, dueForms(desk.clock.now(), 100));
      for (const { formId } of due.records) {
        const held = await hold(formId, holder);
        await (held && watchForm(desk.ports, held).finally(() => held.end()));
      }
    },
    /** After a worker that died in its work. */
    async takenOver(formId: string) {
      const all = await desk.tables.held(taxFormTable, { limit: 50 });
      const dead = all.find(({ record }) => record.formId === formId);
      if (dead === undefined) throw new Error('nobody holds the form');
      const ask = { holder: 'other', key: place(formId), seen: dead.lease };
      const taken = await desk.tables.takeOver(taxFormTable, ask);
      if (taken === undefined) throw new Error('the form is free');
      return new Hold(desk, taxFormTable, taken, { times: TIMES });
    },
    today,
  };
}
