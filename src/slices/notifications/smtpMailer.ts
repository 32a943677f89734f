/**
 * Mail over SMTP, by nodemailer; loaded where a server is configured. TLS is asked for beyond
 * loopback: without it nothing is said, neither login nor mail.
 *
 * Addresses go into the envelope and the headers as they were checked, one reader a mail. Nothing
 * of a mail is read from a file or an address, whatever stands in it.
 */
import { createTransport } from 'nodemailer';
import { isMailAddress } from '#platform/mailAddress';
import type { SmtpConfig } from '#platform/noticeConfig';
import { type Mail, type Mailer, SendFault, type SendFaultCode } from './ports.ts';

/** Milliseconds for a connection, for the server's greeting, and without a byte of it. */
export interface SmtpTimes {
  readonly connectMs: number;
  readonly greetingMs: number;
  readonly silenceMs: number;
}
const TIMES: SmtpTimes = { connectMs: 10_000, greetingMs: 10_000, silenceMs: 30_000 };

export interface SmtpOptions {
  readonly times?: SmtpTimes;
  /** Certificates of an authority in PEM; absent: those that Node trusts. */
  readonly ca?: string;
}

export function createSmtpMailer(config: SmtpConfig, options: SmtpOptions = {}): Mailer {
  const { connectMs, greetingMs, silenceMs } = options.times ?? TIMES;
  const { from, host, login, port, replyTo, security } = config;
  const domain = from.slice(from.indexOf('@') + 1);
  const transport = createTransport({
    connectionTimeout: connectMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    greetingTimeout: greetingMs,
    host,
    ignoreTLS: security === 'none',
    port,
    requireTLS: security === 'starttls',
    secure: security === 'tls',
    socketTimeout: silenceMs,
    tls: { minVersion: 'TLSv1.2', ...(options.ca !== undefined && { ca: options.ca }) },
    ...(login !== undefined && { auth: { pass: login.password, user: login.user } }),
  });
  return {
    close: () => transport.close(),
    async send(mail) {
      if (!isMailAddress(mail.to)) throw new SendFault('no-address');
      try {
        await transport.sendMail({ ...messageOf(mail, domain), from, ...(replyTo && { replyTo }) });
      } catch (error) {
        throw new SendFault(faultOf(error), error);
      }
    },
  };
}

/** The same bytes whenever it is made of the same mail. */
const messageOf = (
  { date, html, id, isUrgent, locale, subject, text, to }: Mail,
  domain: string,
) => ({
  baseBoundary: id,
  date,
  // No system of the reader's is to answer it.
  headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': locale },
  html,
  messageId: `<${id}@${domain}>`,
  subject,
  text,
  to,
  ...(isUrgent && { priority: 'high' as const }),
});

interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

/** A server's word on this mail or reader is final with 5xx; all else may be mended. */
function faultOf(error: unknown): SendFaultCode {
  const { code, command, responseCode } = error as SmtpError;
  if (code === 'EAUTH') return 'mail-login';
  if (code === 'ETLS') return 'mail-tls';
  if (responseCode === undefined) return isTls(error) ? 'mail-tls' : 'mail-unreachable';
  const isOfMail = command === 'RCPT TO' || command === 'DATA';
  return responseCode >= 500 && isOfMail ? 'mail-refused' : 'mail-deferred';
}

const TLS_WORDS = /certificate|\bssl\b|\btls\b/i;
const isTls = (error: unknown): boolean => error instanceof Error && TLS_WORDS.test(error.message);
