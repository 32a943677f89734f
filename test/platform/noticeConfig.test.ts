/** Mail server, operations and hook from the environment; no secret of them is repeated. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '#platform/config';

const FROM = { MAIL_FROM: 'notices@bank.example' };
const noticesOf = (environment: Readonly<Record<string, string>>) =>
  loadConfig(environment, { cores: 2 }).notices;

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    noticesOf(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('nothing is told to anybody where nothing is configured', () => {
  expect(noticesOf({})).toEqual({ operations: { locale: 'en', mails: [] } });
});

describe('a mail server', () => {
  test.each([
    ['smtp://mail.bank.example', { host: 'mail.bank.example', port: 587, security: 'starttls' }],
    ['smtp://mail.bank.example:2525/', { port: 2525, security: 'starttls' }],
    ['smtps://mail.bank.example', { port: 465, security: 'tls' }],
    ['smtp://127.0.0.1:25', { host: '127.0.0.1', port: 25, security: 'none' }],
    ['smtp://[::1]', { host: '::1', security: 'none' }],
    ['smtps://localhost', { security: 'tls' }],
    ['smtp://u:p%40%2Fs@mail.bank.example', { login: { password: 'p@/s', user: 'u' } }],
  ])('%s', (url, expected) => {
    expect(noticesOf({ ...FROM, SMTP_URL: url }).smtp).toMatchObject(expected);
  });

  test('from a file, with an address for answers', () => {
    const folder = mkdtempSync(join(tmpdir(), 'smtp-url-'));
    const file = join(folder, 'smtp-url');
    writeFileSync(file, 'smtps://u:secret@mail.bank.example\n');
    const { smtp } = noticesOf({
      ...FROM,
      MAIL_REPLY_TO: 'help@bank.example',
      SMTP_URL_FILE: file,
    });
    expect(smtp).toMatchObject({ login: { password: 'secret' }, replyTo: 'help@bank.example' });
    rmSync(folder, { recursive: true });
  });

  test.each([
    'smtp://u:sEcret@',
    'http://u:sEcret@mail.bank.example',
    'smtp://u:sEcret@mail.bank.example/?tls.rejectUnauthorized=false',
    'smtp://u:sEcret@mail.bank.example/path',
    'smtp://u:sEcret%zz@mail.bank.example',
    'smtp://u:sEcret@mail.bank.example#f',
  ])('%s is refused, and not repeated', (url) => {
    const problems = problemsOf({ ...FROM, SMTP_URL: url });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^SMTP_URL: expected smtp:\/\//);
    expect(problems[0]).not.toContain('sEcret');
  });

  test('needs a sender, and addresses are plain ones', () => {
    const SMTP_URL = 'smtp://mail.bank.example';
    expect(problemsOf({ SMTP_URL })).toEqual([
      'MAIL_FROM: expected an address, beside SMTP_URL, got none',
    ]);
    for (const address of ['Bank <a@bank.example>', 'a@b@c', 'a']) {
      const [problem] = problemsOf({ MAIL_FROM: address, SMTP_URL });
      expect(problem).toMatch(/^MAIL_FROM: expected name@host/);
    }
  });
});

test('operations have up to five addresses, a language and a hook', () => {
  const operations = {
    OPERATIONS_HOOK_URL: 'https://hooks.example/T0/secret',
    OPERATIONS_LOCALE: 'ar',
    OPERATIONS_MAIL: 'ops@bank.example, dsi@bank.example',
  };
  expect(noticesOf(operations)).toEqual({
    operations: {
      hookUrl: 'https://hooks.example/T0/secret',
      locale: 'ar',
      mails: ['ops@bank.example', 'dsi@bank.example'],
    },
  });
  const six = Array.from({ length: 6 }, (_, n) => `o${n}@bank.example`).join();
  expect(problemsOf({ OPERATIONS_MAIL: six })).toEqual([
    'OPERATIONS_MAIL: expected at most 5, got 6',
  ]);
  expect(problemsOf({ OPERATIONS_MAIL: 'ops@bank.example,x' })[0]).toContain('1 others');
  expect(problemsOf({ OPERATIONS_LOCALE: 'de' })).toHaveLength(1);
});

test.each([
  'http://hooks.example/sEcret',
  'https://user:sEcret@hooks.example/',
  'ftp://hooks.example/sEcret',
])('the hook %s is refused, and not repeated', (url) => {
  const [problem] = problemsOf({ OPERATIONS_HOOK_URL: url });
  expect(problem).toMatch(/^OPERATIONS_HOOK_URL/);
  expect(problem).not.toContain('sEcret');
  expect(problemsOf({ OPERATIONS_HOOK_URL: 'http://127.0.0.1:9/hook' })).toEqual([]);
});

test('an air-gapped installation sends nothing', () => {
  const problems = problemsOf({
    ...FROM,
    DEPLOYMENT_MODE: 'air-gapped',
    OPERATIONS_HOOK_URL: 'https://hooks.example/',
    SMTP_URL: 'smtp://127.0.0.1',
  });
  expect(problems).toEqual([
    'OPERATIONS_HOOK_URL: expected nothing in an air-gapped deployment, got a URL',
    'SMTP_URL: expected nothing in an air-gapped deployment, got a URL',
  ]);
});
