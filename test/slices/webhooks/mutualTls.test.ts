/**
 * Endpoints with certificates (W1) against real TLS servers: the right one, a wrong one, one that
 * has ended, none, and one that cannot be loaded. Nothing is ever sent without it.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { secretBox } from '#platform/secretBox';
import {
  changeEndpoint,
  changeTls,
  daysToTell,
  endpointEntry,
  endpointTable,
  findEndpoint,
  requestCertificate,
  type TlsChange,
  tellOfCertificates,
  type WebhookEndpoint,
} from '#slices/webhooks';
import { checkCertificates } from '../../../src/slices/webhooks/edge/stateChecks.ts';
import {
  CLIENT_AUTH,
  makeCertificate,
  publicKeyOf,
  SERVER_AUTH,
  type TestCertificate,
} from '../../platform/testCertificates.ts';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { AUTHORITY, startTlsReceiver, type TlsReceiver } from './tlsReceiver.ts';
import { ACTOR, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

const CLIENTS = makeCertificate('Authority of clients', { isAuthority: true });
const CLIENT = makeCertificate('compliance', { issuer: CLIENTS, usage: [CLIENT_AUTH] });
const STRANGER = makeCertificate('stranger');
const DAY_MS = 24 * 3_600_000;

let house: WebhookHouse;
let receiver: TlsReceiver;
beforeEach(async () => {
  house = await openHouse(makeSqliteHarness, { timeoutMs: 5_000 });
  receiver = await startTlsReceiver({
    ca: CLIENTS.certificatePem,
    rejectUnauthorized: true,
    requestCert: true,
  });
});
afterEach(async () => {
  await house.close();
  await receiver.close();
  expect(house.failures).toEqual([]);
});

const owner = { sandbox: true, tenantId: TENANT };
const change = (endpointId: string, of: TlsChange): Promise<WebhookEndpoint> =>
  changeTls(house, { actor: ACTOR, endpointId, owner }, of);
const pemOf = ({ certificatePem, keyPem }: TestCertificate) => ({ certificatePem, keyPem });
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'taken',
    (error: { violations?: { code: string }[] }) => error.violations?.[0]?.code ?? error,
  );

async function registered(of: TlsChange = {}): Promise<string> {
  const { endpointId } = (await house.register(receiver.url)).endpoint;
  await change(endpointId, { caPem: AUTHORITY.certificatePem, ...of });
  return endpointId;
}

async function outcome() {
  await house.tell({ batch_id: 'b-1' });
  await house.send();
  const delivery = (await house.deliveries()).at(-1);
  return { attempt: delivery?.attempts.at(-1), delivery };
}

test('the right certificate is shown, and the attempt says what was spoken', async () => {
  await registered({ clientCertificate: pemOf(CLIENT) });
  const { attempt, delivery } = await outcome();
  expect(delivery).toMatchObject({ status: 'DELIVERED' });
  expect(attempt).toMatchObject({ address: '127.0.0.1', responseCode: 204 });
  expect(attempt?.tls).toMatch(/^TLSv1\.3 TLS_[A-Z0-9_]+$/);
  expect(receiver.subjects).toEqual(['compliance']);
});

test('a certificate of another authority gets no request through', async () => {
  await registered({ clientCertificate: pemOf(STRANGER) });
  const { delivery } = await outcome();
  expect(delivery?.status).not.toBe('DELIVERED');
  expect(delivery?.failureReason).toMatch(/^(?:mtls|connect)$/); // Node's server says no reason
  expect(receiver.subjects).toEqual([]);
});

test('where one is wanted and there is none, the delivery has failed as mtls', async () => {
  await registered();
  expect((await outcome()).delivery).toMatchObject({ failureReason: 'mtls', status: 'FAILED' });
  expect(receiver.subjects).toEqual([]);
});

test('a handshake that fails for no said reason is tried again by who shows none', async () => {
  const old = await startTlsReceiver({
    ca: CLIENTS.certificatePem,
    maxVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    requestCert: true,
  });
  const { endpointId } = (await house.register(old.url)).endpoint;
  await change(endpointId, { caPem: AUTHORITY.certificatePem });
  expect((await outcome()).delivery).toMatchObject({ failureReason: 'tls', status: 'RETRYING' });
  await old.close();
});

test('one that has ended is not shown, and nothing is connected to', async () => {
  const notAfter = new Date(house.clock.now() + DAY_MS);
  const short = makeCertificate('short', { issuer: CLIENTS, notAfter });
  await registered({ clientCertificate: pemOf(short) });
  house.clock.advance(DAY_MS);
  const { attempt, delivery } = await outcome();
  expect(delivery).toMatchObject({ failureReason: 'mtls', status: 'FAILED' });
  expect(attempt).toMatchObject({ failureReason: 'mtls' });
  expect(attempt?.address).toBeUndefined();
  expect(receiver.connections).toBe(0);
});

/** As a former release, or another process, that checked less. */
async function forge(endpointId: string, of: (was: WebhookEndpoint) => WebhookEndpoint) {
  const was = await findEndpoint(house, { endpointId, tenantId: TENANT });
  const next = { ...of(was), generation: was.generation + 1, version: was.version + 1 };
  await house.commit(TENANT as never, {
    bus: [],
    changes: [endpointTable.put(next, was.version)],
    events: [endpointEntry(house, { actor: ACTOR }, 'webhook.endpoint.changed', next)],
  });
}

test.each([
  [
    'sealed under another installation’s key',
    (was: WebhookEndpoint): WebhookEndpoint => {
      const box = secretBox([new Uint8Array(32).fill(9)], house.random);
      const certificate = was.clientCertificate;
      if (certificate === undefined) throw new Error('it has none');
      return { ...was, clientCertificate: { ...certificate, sealedKey: box.seal('x', 'y') } };
    },
  ],
  [
    'beside a certificate that is not its own',
    (was: WebhookEndpoint): WebhookEndpoint => {
      const certificate = was.clientCertificate;
      if (certificate === undefined) throw new Error('it has none');
      const { certificatePem } = STRANGER;
      return { ...was, clientCertificate: { ...certificate, certificatePem } };
    },
  ],
])('a key %s ends the attempt as mtls', async (_, forged) => {
  const endpointId = await registered({ clientCertificate: pemOf(CLIENT) });
  await forge(endpointId, forged);
  expect((await outcome()).delivery).toMatchObject({ failureReason: 'mtls', status: 'FAILED' });
  expect(receiver.connections).toBe(0);
});

test('a key that was made here is used with the certificate that its request got', async () => {
  const endpointId = await registered();
  const ask = { actor: ACTOR, endpointId, owner };
  const subject = { commonName: 'compliance.bank.example', organization: 'Bank' };
  const { requestPem } = await requestCertificate(house, ask, subject);
  const signed = makeCertificate('requested', {
    issuer: CLIENTS,
    publicKey: publicKeyOf(await publicKeyOfRequest(requestPem)),
  });
  const { certificatePem } = signed;
  const stored = await change(endpointId, { clientCertificate: { certificatePem } });
  expect(stored.pendingKey).toBeUndefined();
  expect(JSON.stringify(stored)).not.toContain('PRIVATE KEY');
  expect((await outcome()).delivery).toMatchObject({ status: 'DELIVERED' });
  expect(receiver.subjects).toEqual(['requested']);
  const missing = change(endpointId, { clientCertificate: { certificatePem } });
  expect(await codeOf(missing)).toBe('key-missing');
});

/** The subject's public key stands in the request as it would in a certificate. */
async function publicKeyOfRequest(requestPem: string): Promise<string> {
  const bytes = Buffer.from(requestPem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64');
  const start = bytes.indexOf(Buffer.from('3059301306072a8648ce3d0201', 'hex'));
  const key = bytes.subarray(start, start + 91).toString('base64');
  return `-----BEGIN PUBLIC KEY-----\n${key}\n-----END PUBLIC KEY-----\n`;
}

test('what connections could not be made with is refused, with its reason', async () => {
  const endpointId = await registered();
  const now = house.clock.now();
  const refused = async (of: TlsChange) => codeOf(change(endpointId, of));
  const certified = (one: TestCertificate, keyPem = one.keyPem) =>
    refused({ clientCertificate: { certificatePem: one.certificatePem, keyPem } });
  const ended = makeCertificate('ended', { notAfter: new Date(now - 1_000) });
  const early = makeCertificate('early', { notBefore: new Date(now + DAY_MS) });
  const server = makeCertificate('server', { usage: [SERVER_AUTH] });
  expect(await certified(ended)).toBe('expired');
  expect(await certified(early)).toBe('not-yet-valid');
  expect(await certified(server)).toBe('purpose');
  expect(await certified(CLIENT, STRANGER.keyPem)).toBe('key-mismatch');
  expect(await certified(CLIENT, 'no key')).toBe('key-format');
  expect(await certified({ ...CLIENT, certificatePem: 'none' })).toBe('certificate-format');
  const withKey = { ...CLIENT, certificatePem: `${CLIENT.certificatePem}${CLIENT.keyPem}` };
  expect(await certified(withKey)).toBe('certificate-format');
  const { certificatePem } = CLIENT;
  expect(await refused({ clientCertificate: { certificatePem } })).toBe('key-missing');
  expect(await refused({ caPem: CLIENT.certificatePem })).toBe('not-an-authority');
  const endedCa = makeCertificate('ca', { isAuthority: true, notAfter: new Date(now - 1_000) });
  expect(await refused({ caPem: endedCa.certificatePem })).toBe('expired');
});

test('an endpoint with certificates is never one by http', async () => {
  const endpointId = await registered({ clientCertificate: pemOf(CLIENT) });
  const url = receiver.url.replace('https', 'http');
  const moved = changeEndpoint(house, { actor: ACTOR, endpointId, owner }, { url });
  expect(await codeOf(moved)).toBe('scheme');
  const plain = (await house.register(url)).endpoint.endpointId;
  expect(await codeOf(change(plain, { clientCertificate: pemOf(CLIENT) }))).toBe('scheme');
});

test('a server of an authority that nobody named is not believed', async () => {
  const { endpointId } = (await house.register(receiver.url)).endpoint;
  await change(endpointId, { clientCertificate: pemOf(CLIENT) });
  expect((await outcome()).delivery).toMatchObject({ failureReason: 'tls', status: 'RETRYING' });
  expect(receiver.subjects).toEqual([]);
});

test('people are told 30, 7 and 1 days before its end, and at the end, once each', async () => {
  const notAfter = new Date(house.clock.now() + 40 * DAY_MS);
  await registered({
    clientCertificate: pemOf(makeCertificate('short', { issuer: CLIENTS, notAfter })),
  });
  const told: (number | undefined)[] = [];
  const looked = () => checkCertificates(house);
  expect(await looked()).toBe('none of 1 client certificates ends within 30 days');
  for (let day = 0; day <= 42; day++) {
    if ((await tellOfCertificates(house)) > 0) {
      told.push(daysToTell(notAfter.getTime() as EpochMs, house.clock.now()));
    }
    expect(await tellOfCertificates(house)).toBe(0);
    house.clock.advance(DAY_MS);
  }
  expect(told).toEqual([30, 7, 1, 0]);
  await expect(looked()).rejects.toThrow(
    /^the certificate of endpoint \S+ \(tenant \S+\) ended on /,
  );
  const entries = (await house.trail()).map(({ action }) => action);
  expect(entries.filter((action) => action === 'webhook.certificate.expiring')).toHaveLength(4);
});
