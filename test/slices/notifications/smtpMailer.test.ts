/** Mail as it leaves: under TLS beyond loopback, no stranger's header, both directions. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { LOCALES, type Locale } from '#platform/locales';
import { type Mail, NOTICE_KINDS, type Notice, renderMail } from '#slices/notifications';
import { createSmtpMailer } from '../../../src/slices/notifications/smtpMailer.ts';
import { decodedSubject, type Inbox, openInbox } from './inbox.ts';

const NOTICE: Notice = {
  audience: 'tenant',
  createdAt: Date.UTC(2026, 10, 23, 8) as EpochMs,
  kind: 'webhook.failed',
  noticeId: '019a0b2c-7d4e-7000-8000-00000000000a',
  params: { count: 3, reason: 'http-5xx' },
  severity: 'HIGH',
  subjectId: '019a0b2c-7d4e-7000-8000-00000000000b',
  subjectKind: 'webhook_endpoint',
  tenantId: '019a0b2c-7d4e-7000-8000-00000000000c' as TenantId,
  version: 1,
};

const mailOf = (locale: Locale, given: Partial<Mail> & { readonly name?: string } = {}): Mail => {
  const { name, ...more } = given;
  return {
    ...renderMail(NOTICE, { locale, name }),
    date: new Date(NOTICE.createdAt),
    id: 'message-1',
    isUrgent: false,
    locale,
    to: 'dora@bank.example',
    ...more,
  };
};

describe('in the open, on loopback', () => {
  let inbox: Inbox;
  const mailer = () => createSmtpMailer(inbox.config);
  beforeAll(async () => {
    inbox = await openInbox();
  });
  afterAll(() => inbox.close());

  async function sent(mail: Mail) {
    inbox.received.length = 0;
    const way = mailer();
    await way.send(mail);
    way.close();
    const [one] = inbox.received;
    if (one === undefined) throw new Error('nothing came');
    return one;
  }

  test('a mail has both forms, its own id, and says that no answer is wanted', async () => {
    const way = createSmtpMailer({ ...inbox.config, replyTo: 'help@house.example' });
    inbox.received.length = 0;
    await way.send(mailOf('fr', { isUrgent: true, name: 'Dora' }));
    way.close();
    const [one] = inbox.received;
    expect(Object.fromEntries(one?.headers ?? [])).toMatchObject({
      'auto-submitted': 'auto-generated',
      'content-language': 'fr',
      date: 'Mon, 23 Nov 2026 08:00:00 +0000',
      from: 'notices@house.example',
      importance: 'High',
      'message-id': '<message-1@house.example>',
      'reply-to': 'help@house.example',
      to: 'dora@bank.example',
    });
    expect(one?.text).toContain('Bonjour \u2068Dora\u2069');
    expect(one?.text).toContain('Motif: \u2068http-5xx\u2069');
    expect(one?.html).toContain('<html lang="fr" dir="ltr">');
  });

  test('Arabic runs from right to left, and ids in it stand apart', async () => {
    const one = await sent(mailOf('ar', { name: 'دورا' }));
    expect(decodedSubject(one.headers.get('subject') ?? '')).toBe(
      Buffer.from('فشل نهائي في تسليم الويبهوك').toString('latin1'),
    );
    expect(one.html).toContain('<html lang="ar" dir="rtl">');
    expect(one.html).toContain('<body dir="rtl"');
    expect(one.html).toContain(`<bdi>${NOTICE.subjectId}</bdi>`);
    expect(one.html).toContain('text-align:right');
    expect(one.text).toContain(`\u2068${NOTICE.subjectId}\u2069`);
  });

  test.each([
    ['dora@bank.example\r\nBcc: eve@evil.example'],
    ['dora@bank.example>\r\nRCPT TO:<eve@evil.example'],
    ['dora@bank.example, eve@evil.example'],
    ['"a" <eve@evil.example>'],
  ])('nothing is said to a server of the address %j', async (to) => {
    inbox.received.length = 0;
    const way = mailer();
    await expect(way.send(mailOf('en', { to }))).rejects.toMatchObject({ code: 'no-address' });
    way.close();
    expect(inbox.received).toEqual([]);
  });

  test('a name adds no header, no line, no markup, and turns no text around', async () => {
    const name = 'Dora\r\nBcc: eve@evil.example\r\n\r\n<script>alert(1)</script>\u202E"&';
    const one = await sent(mailOf('en', { name }));
    expect(one.to).toEqual(['dora@bank.example']);
    expect([...one.headers.keys()]).not.toContain('bcc');
    expect(one.text.split(/\r?\n/)[0]).toMatch(/^Dear \u2068Dora {2}Bcc: .*\u2069$/);
    expect(one.text).not.toContain('\u202E');
    expect(one.html).not.toContain('<script');
    expect(one.html).toContain('&lt;script&gt;');
  });

  test('a title adds no header either', async () => {
    const one = await sent(mailOf('en', { subject: 'Hello\r\nBcc: eve@evil.example' }));
    expect(one.to).toEqual(['dora@bank.example']);
    expect([...one.headers.keys()]).not.toContain('bcc');
  });

  test('the same mail is the same bytes', async () => {
    const first = await sent(mailOf('ar'));
    expect((await sent(mailOf('ar'))).raw).toBe(first.raw);
  });

  test('where TLS is asked for and not offered, nothing is sent', async () => {
    inbox.received.length = 0;
    const way = createSmtpMailer({ ...inbox.config, security: 'starttls' });
    await expect(way.send(mailOf('en'))).rejects.toMatchObject({ code: 'mail-tls' });
    way.close();
    expect(inbox.received).toEqual([]);
  });
});

describe('under TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'smtp-'));
  afterAll(() => rmSync(folder, { force: true, recursive: true }));

  function certificate(): { readonly cert: string; readonly key: string } | undefined {
    const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const out = ['-keyout', files.key, '-out', files.cert];
    try {
      execFileSync('openssl', ['req', '-x509', ...key, ...subject, ...out], { stdio: 'ignore' });
    } catch (error) {
      console.warn(`SKIPPED: mail under TLS: openssl cannot make a certificate. ${error}`);
      return undefined;
    }
    return { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
  }
  const tls = certificate();

  test.skipIf(tls === undefined)('a stranger’s certificate is refused, ours is taken', async () => {
    if (tls === undefined) return;
    for (const isSecure of [false, true]) {
      const inbox = await openInbox({ isSecure, tls });
      const security = isSecure ? 'tls' : 'starttls';
      const config = { ...inbox.config, host: 'localhost', security } as const;
      const strange = createSmtpMailer(config);
      await expect(strange.send(mailOf('en'))).rejects.toMatchObject({ code: 'mail-tls' });
      expect(inbox.received).toEqual([]);
      const known = createSmtpMailer(config, { ca: tls.cert });
      await known.send(mailOf('en'));
      expect(inbox.received).toMatchObject([{ isSecure: true }]);
      strange.close();
      known.close();
      await inbox.close();
    }
  });
});

test.each(LOCALES.flatMap((locale) => NOTICE_KINDS.map((kind) => [locale, kind] as const)))(
  'in %s, %s says what has happened and what to do, and counts nothing in a sentence',
  (locale, kind) => {
    const { subject, text } = renderMail({ ...NOTICE, kind }, { locale, name: undefined });
    expect(subject).toMatch(/^\P{Cc}{10,78}$/u);
    const [sentences = ''] = text.split('\n\n').slice(2);
    expect(sentences.split('\n')).toHaveLength(2);
    expect(sentences).not.toMatch(/[0-9\u0660-\u0669{}]/);
    if (locale === 'ar') expect(sentences).toMatch(/\p{Script=Arabic}/u);
  },
);
