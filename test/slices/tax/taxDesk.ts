/** Tax reporting of a made-up tenant over a real store and the real evidence. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createAuditLog, newKeyRing, verifiedEvent } from '#core/audit';
import { DataKeys } from '#core/blobs';
import { type BusTopic, chainOf, type TenantId } from '#core/kernel';
import { sha256Hex, signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import { secretBox } from '#platform/secretBox';
import {
  answersHere,
  type ClassificationInputs,
  FfiRows,
  type FilingPorts,
  openWay,
  SignedHolders,
  signedClassifications,
  signedForms,
  signedReporting,
} from '#slices/tax';
import type { MakeHarness } from '../../storage/contract/harness.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const ASK = { actor: 'person:lena', tenantId: TENANT } as const;

/** A resident of France whose birthplace is in the United States. */
export const BORN_IN_US: Omit<ClassificationInputs, 'begun_on'> = {
  account: { balance_usd: '120000.00', opened: 'preexisting', product: 'depository' },
  institution: { country: 'FR', iga_model: 'model_1', reportable_jurisdictions: ['DE', 'IT'] },
  subject: {
    addresses: [{ country: 'FR', kind: 'residence' }],
    birth_country: 'US',
    kind: 'individual',
  },
};

export type TaxDesk = Awaited<ReturnType<typeof openTaxDesk>>;

export async function openTaxDesk(makeHarness: MakeHarness) {
  const harness = await makeHarness();
  const { clock } = harness;
  const storage = await harness.open();
  const { audit: store, tables } = storage;
  const signer = signerFromSeed(new Uint8Array(32).fill(99));
  const keyRing = newKeyRing(signer.publicKey);
  const audit = createAuditLog({
    clock: { monotonicMs: () => performance.now(), now: () => clock.now() },
    holder: 'test',
    random: systemRandom,
    signer,
    store,
  });
  const blobs = new Map<string, Uint8Array>();
  const chain = { audit: store, clock, keyRing, tables };
  const ports: FilingPorts = {
    ...signedReporting(chain),
    answers: answersHere,
    blobs: {
      get: async (address) => blobs.get(address),
      open: async (address) => {
        const bytes = blobs.get(address);
        return bytes && Readable.from([bytes]);
      },
      put: async (bytes) => {
        const pieces: Uint8Array[] = [];
        for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) pieces.push(piece);
        const whole = Buffer.concat(pieces);
        const address = sha256Hex(whole);
        blobs.set(address, whole);
        return { address, bytes: whole.length };
      },
      size: async (address) => blobs.get(address)?.length,
    },
    clock,
    commit: audit.commit,
    dataKeys: new DataKeys({ master: new Uint8Array(32), random: systemRandom, tables }),
    ffiRows: new FfiRows(),
    openWay,
    random: systemRandom,
    secrets: secretBox([Buffer.alloc(32, 7)], systemRandom),
    signed: signedClassifications(chain),
    signedForms: signedForms(chain),
    signedHolders: new SignedHolders(chain),
    spoolDirectory: join(tmpdir(), 'compliance-test-spool'),
    tables,
  };
  return {
    alter: harness.alter,
    blobs,
    clock,
    close: async () => {
      await audit.close();
      await storage.close();
      await harness.dispose();
    },
    /** As they were signed. */
    entries: async (action: string) => {
      const chainId = chainOf(TENANT);
      const events = await store.readEvents({ action, chainId, fromSeq: 1, limit: 1_000 });
      return events.map((event) => verifiedEvent(event, { chainId, keyRing }) ?? {});
    },
    ports,
    tables,
    /** Events of the bus, as the outbox keeps them. */
    told: async (topic: BusTopic) => {
      const kept = { afterId: '', limit: 1_000, partition: TENANT };
      return (await storage.outbox.readKept(kept)).filter((event) => event.topic === topic);
    },
  };
}
