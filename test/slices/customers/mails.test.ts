/** Mails to customers: in their language, once there is a server, with nothing of the case. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { chainOf } from '#core/kernel';
import {
  type CustomerMail,
  createCase,
  languageOf,
  MailDeferred,
  type MailOutcome,
  mailInWords,
  newTask,
  requireCase,
  sendMail,
} from '#slices/customers';
import workflows from '../../../config/kyc-workflows.json' with { type: 'json' };
import { type CaseDesk, caseOf, HOLDER, openCaseDesk } from './documentDesk.ts';

const TEMPLATES = workflows.individual_standard.email_templates;
const LINK = 'https://onboarding.test/o/#a&b';

describe('the words of a mail', () => {
  test('French, Arabic from right to left, and English for all others', () => {
    expect(['fr-TN', 'ar-TN', 'en-GB', 'de-DE'].map(languageOf)).toEqual(['fr', 'ar', 'en', 'en']);
    const arabic = mailInWords(TEMPLATES.rejected, { link: undefined, locale: 'ar-TN' });
    expect(arabic.html).toContain('<html lang="ar" dir="rtl">');
    expect(arabic.subject).toBe(TEMPLATES.rejected.ar.subject);
  });

  test('a link stands where the template has its place, and is escaped', () => {
    const mail = mailInWords(TEMPLATES.documents_requested, { link: LINK, locale: 'fr-TN' });
    expect(mail.text).toContain(LINK);
    expect(mail.html).toContain('href="https://onboarding.test/o/#a&amp;b"');
    const bare = { link: undefined, locale: 'fr-TN' };
    const without = mailInWords(TEMPLATES.documents_requested, bare);
    expect(without.text.trimEnd()).toMatch(/demandés$/);
    expect(without.text).not.toContain('{link}');
  });
});

describe('a mail that is due', () => {
  let desk: CaseDesk;
  beforeAll(async () => {
    desk = await openCaseDesk();
  });
  beforeEach(() => desk.begin());
  afterAll(() => desk.close());

  async function due(of: { readonly email?: string; readonly template?: string } = {}) {
    const { template = 'rejected', ...more } = of;
    const given = caseOf();
    const { caseId } = await createCase(desk.ports, desk.by, {
      ...given,
      subject: { ...given.subject, ...more },
    });
    const record = await requireCase(desk.ports, { ...desk.by, caseId });
    await desk.ports.commit(chainOf(desk.by.tenantId), {
      bus: [],
      changes: [newTask(desk.ports, record, { kind: 'mail', template })],
      events: [entry(desk.ports, { ...desk.by, action: 'kyc.case.changed', target: 'task:test' })],
    });
    const hold = await desk.take('mail');
    if (hold === undefined) throw new Error('no mail is due');
    return { caseId, hold };
  }

  function portsOf(outcome: MailOutcome) {
    const sent: CustomerMail[] = [];
    const ports = {
      ...desk.ports,
      freshLink: async () => LINK,
      sendMail: async (write: () => Promise<CustomerMail>) => {
        if (outcome.kind !== 'unconfigured') sent.push(await write());
        return outcome;
      },
    };
    return { ports, sent };
  }
  const email = 'amira@example.org';

  test('is sent once, to the address of the case, without a word of the customer', async () => {
    const { caseId, hold } = await due({ email });
    const { ports, sent } = portsOf({ kind: 'sent' });
    await sendMail(ports, hold);
    expect(sent).toMatchObject([{ id: hold.record.taskId, locale: 'fr', to: email }]);
    const [mail] = sent;
    for (const said of [HOLDER.surname, HOLDER.number, caseId]) {
      expect(mail?.text).not.toContain(said);
      expect(mail?.html).not.toContain(said);
    }
    expect(await desk.tasksOf(caseId, 'mail')).toMatchObject([{ state: 'done' }]);
    const entries = await desk.entries('kyc.mail.sent');
    expect(entries).toMatchObject([{ case_id: caseId, template: 'rejected' }]);
    expect(JSON.stringify(entries)).not.toContain(email);
  });

  test.each([
    ['no-address', {}],
    ['no-template', { email, template: 'gone' }],
  ] as const)('%s ends it with an entry', async (fault, of) => {
    const { caseId, hold } = await due(of);
    const { ports, sent } = portsOf({ kind: 'sent' });
    await sendMail(ports, hold);
    expect(sent).toEqual([]);
    expect(await desk.tasksOf(caseId, 'mail')).toMatchObject([{ state: 'failed' }]);
    expect(await desk.entries('kyc.mail.failed')).toMatchObject([{ fault }]);
  });

  test('waits for a server, is tried again while that is busy, and may be refused', async () => {
    const waiting = await due({ email });
    await sendMail(portsOf({ kind: 'unconfigured' }).ports, waiting.hold);
    expect(await desk.tasksOf(waiting.caseId, 'mail')).toMatchObject([{ state: 'open' }]);
    expect(await desk.take('mail')).toBeUndefined();
    desk.clock.advance(3_600_000);
    const again = await desk.take('mail');
    if (again === undefined) throw new Error('the mail is due again');
    const busy = portsOf({ code: 'mail-deferred', kind: 'deferred' });
    await expect(sendMail(busy.ports, again)).rejects.toBeInstanceOf(MailDeferred);
    await sendMail(portsOf({ code: 'mail-refused', kind: 'refused' }).ports, again);
    expect(await desk.entries('kyc.mail.failed')).toMatchObject([{ fault: 'mail-refused' }]);
  });
});
