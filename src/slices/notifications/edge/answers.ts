/** Answers of notifications to questions of the slices on their left. */

import type { CustomerMail, MailOutcome, SendCustomerMail } from '#slices/customers';
import { type Mailer, SendFault } from '#slices/notifications';
import type { SliceProcess } from '../../processes.ts';

const REFUSED: ReadonlySet<string> = new Set(['mail-refused', 'no-address']);

/** One for the process. */
export const sendCustomerMail = (process: SliceProcess): SendCustomerMail => process.once(open);

/** By the server that notices are sent by, once the first mail comes. */
function open(process: SliceProcess): SendCustomerMail {
  const { smtp } = process.config.notices;
  if (smtp === undefined) return async () => ({ kind: 'unconfigured' });
  let mailer: Promise<Mailer> | undefined;
  const opened = async (): Promise<Mailer> => {
    const made = (await import('../smtpMailer.ts')).createSmtpMailer(smtp);
    process.onClose(() => made.close());
    return made;
  };
  return async (write) => {
    mailer ??= opened();
    return send(await mailer, await write());
  };
}

async function send(
  mailer: Mailer,
  { at, html, id, locale, subject, text, to }: CustomerMail,
): Promise<MailOutcome> {
  try {
    await mailer.send({ date: new Date(at), html, id, isUrgent: false, locale, subject, text, to });
    return { kind: 'sent' };
  } catch (error) {
    if (!(error instanceof SendFault)) throw error;
    return { code: error.code, kind: REFUSED.has(error.code) ? 'refused' : 'deferred' };
  }
}
