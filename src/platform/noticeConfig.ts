/**
 * How people are told: the mail server, the operator's own addresses, and the operator's hook. All
 * of them may be absent: what people are told of is kept and can be read without.
 */
import { type EnvironmentReader, isLoopback, optional } from './environmentReader.ts';
import { LOCALES, type Locale } from './locales.ts';
import { isMailAddress } from './mailAddress.ts';

/** Mail addresses of the operator, each of which is written to by itself. */
const OPERATIONS_ADDRESSES_MAX = 5;
const ADDRESSES_TEXT = /^[\x20-\x7e]{1,2048}$/;
const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

export interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte. `starttls`: before anything is said. `none`: on loopback alone. */
  readonly security: 'tls' | 'starttls' | 'none';
  /** Never logged. */
  readonly login?: { readonly user: string; readonly password: string };
  readonly from: string;
  readonly replyTo?: string;
}

export interface NoticeConfig {
  /** Absent: no mail is sent. */
  readonly smtp?: SmtpConfig;
  readonly operations: {
    readonly mails: readonly string[];
    readonly locale: Locale;
    /** May hold a token: never logged. Absent: nothing is called. */
    readonly hookUrl?: string;
  };
}

export function readNotices(
  read: EnvironmentReader,
  { isAirGapped }: { readonly isAirGapped: boolean },
): NoticeConfig {
  const smtp = readSmtp(read);
  const hookUrl = readHook(read);
  const outward = { OPERATIONS_HOOK_URL: hookUrl, SMTP_URL: smtp };
  for (const [name, value] of Object.entries(outward)) {
    if (isAirGapped && value !== undefined) {
      read.refuse(name, 'nothing in an air-gapped deployment', 'a URL');
    }
  }
  return {
    operations: {
      locale: read.choice('OPERATIONS_LOCALE', { choices: LOCALES, fallback: 'en' }),
      mails: readMails(read),
      ...optional('hookUrl', hookUrl),
    },
    ...optional('smtp', smtp),
  };
}

function readMails(read: EnvironmentReader): readonly string[] {
  const text = read.text('OPERATIONS_MAIL', { fallback: '', form: ADDRESSES_TEXT });
  const mails = text
    .split(',')
    .map((mail) => mail.trim())
    .filter((mail) => mail !== '');
  const wrong = mails.filter((mail) => !isMailAddress(mail));
  if (wrong.length > 0) {
    read.refuse('OPERATIONS_MAIL', 'name@host, several with commas', `${wrong.length} others`);
  }
  if (mails.length > OPERATIONS_ADDRESSES_MAX) {
    read.refuse('OPERATIONS_MAIL', `at most ${OPERATIONS_ADDRESSES_MAX}`, `${mails.length}`);
  }
  return mails.filter(isMailAddress);
}

function readAddress(read: EnvironmentReader, name: string): string | undefined {
  const text = read.text(name, { fallback: '', form: ADDRESSES_TEXT });
  if (text === '') return undefined;
  if (isMailAddress(text)) return text;
  read.refuse(name, 'name@host', `${text.length} other characters`);
  return undefined;
}

/** `smtp://user:password@host:587` or `smtps://…:465`; no part of it is repeated. */
function readSmtp(read: EnvironmentReader): SmtpConfig | undefined {
  const text = read.secretUrl('SMTP_URL', ['smtp:', 'smtps:']);
  const from = readAddress(read, 'MAIL_FROM');
  const replyTo = readAddress(read, 'MAIL_REPLY_TO');
  if (text === undefined) return undefined;
  const server = serverOf(text);
  if (server === undefined) {
    const expected = 'smtp:// or smtps://, user and password, host and port, and nothing else';
    read.refuse('SMTP_URL', expected, `${text.length} other characters (not shown)`);
  }
  if (from === undefined) read.refuse('MAIL_FROM', 'an address, beside SMTP_URL', 'none');
  if (server === undefined || from === undefined) return undefined;
  return { ...server, from, ...optional('replyTo', replyTo) };
}

function serverOf(text: string): Omit<SmtpConfig, 'from'> | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isBare = url.search === '' && url.hash === '' && ['', '/'].includes(url.pathname);
  const login = loginOf(url);
  if (host === '' || !isBare || login === 'malformed') return undefined;
  const beyondTls = isLoopback(host) ? 'none' : 'starttls';
  return {
    host,
    port: url.port === '' ? PORTS[url.protocol as keyof typeof PORTS] : Number(url.port),
    security: url.protocol === 'smtps:' ? 'tls' : beyondTls,
    ...optional('login', login),
  };
}

function loginOf({ password, username }: URL): SmtpConfig['login'] | 'malformed' {
  if (username === '' && password === '') return undefined;
  try {
    return { password: decodeURIComponent(password), user: decodeURIComponent(username) };
  } catch (error) {
    if (error instanceof URIError) return 'malformed';
    throw error;
  }
}

/** https; http to this machine alone. */
function readHook(read: EnvironmentReader): string | undefined {
  const text = read.secretUrl('OPERATIONS_HOOK_URL', ['http:', 'https:']);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (url?.username === '' && (url.protocol === 'https:' || isLoopback(host))) return url.href;
  const expected = 'an https URL without user (http on loopback only)';
  read.refuse('OPERATIONS_HOOK_URL', expected, 'another (not shown)');
  return undefined;
}
