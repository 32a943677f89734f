/** What `approval sign` prints is accepted by the rules of dual control, for that change alone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Person, SANCTIONS_ROLE_PAIR, verifyDualControl } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { type EpochMs, systemClock } from '#platform/clock';
import { generatePrivateKeyPem, signerFromText } from '#platform/crypto';
import { EXIT } from '../../../../src/cli/command.ts';
import { runCommandLine } from '../../../../src/cli/commandLine.ts';
import { surroundings } from '../../../cli/surroundings.ts';

const folder = mkdtempSync(join(tmpdir(), 'approval-'));
afterAll(() => rmSync(folder, { force: true, recursive: true }));
const pem = generatePrivateKeyPem();
const keyFile = join(folder, 'me.pem');
writeFileSync(keyFile, pem);
const TENANT = '018f0000-0000-7000-8000-000000000001' as TenantId;

const person = (id: string, role: Person['roles'][number]): Person => ({
  accounts: [{ issuer: 'https://idp', subject: id }],
  id,
  keys: [
    {
      keyId: 'k',
      publicKey: Buffer.from(signerFromText(pem, 'pem').publicKey.raw).toString('base64'),
      validFrom: 0 as EpochMs,
    },
  ],
  name: id,
  roles: [role],
  tenantId: TENANT,
  version: 1,
});

async function sign(value: string): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const words = ['--key', keyFile, '--approver', 'dora', '--author', 'carl', '--value', value];
  const subject = ['--resource', 'sanctions_source:UN_SC', '--field', 'cron_full', '--json'];
  const code = await runCommandLine(
    ['approval', 'sign', ...words, ...subject],
    {
      err: { write: (text: string) => (err += text) },
      out: { write: (text: string) => (out += text) },
    },
    surroundings(),
  );
  return { code, err, out };
}

function verify(headers: Record<string, string>, newValue: unknown) {
  return verifyDualControl({
    headers: {
      approver: headers['X-Approval-User-Id'],
      author: headers['X-User-Id'],
      signature: headers['X-Approval-Signature'],
      timestamp: headers['X-Approval-Timestamp'],
    },
    now: systemClock.now(),
    persons: [person('carl', 'compliance_officer'), person('dora', 'dsi_admin')],
    principal: {
      environment: 'live',
      id: 'https://idp|carl',
      kind: 'user',
      mfa: true,
      roles: ['compliance_officer'],
      tenantId: TENANT,
    },
    rolePair: SANCTIONS_ROLE_PAIR,
    subject: { field: 'cron_full', newValue, resource: 'sanctions_source:UN_SC' },
    tenantId: TENANT,
  });
}

test('the headers are accepted for the value that was signed, and for no other', async () => {
  const { code, out } = await sign('"0 0 2 ? * SUN"');
  expect(code).toBe(EXIT.done);
  const headers = JSON.parse(out) as Record<string, string>;
  expect(verify(headers, '0 0 2 ? * SUN').approver.id).toBe('dora');
  expect(() => verify(headers, '0 0 3 ? * SUN')).toThrow(/verifies/);
});

test.each(['0 0 2 ? * SUN', '{"a":1,"a":2}', "'x'"])('%s is no JSON, and told', async (value) => {
  const { code, err } = await sign(value);
  expect([code, err.split('\n').length]).toEqual([EXIT.usage, 2]);
});
