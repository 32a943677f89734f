/** Companies: identifiers, extracts that are files, and answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuditLog, newKeyRing } from '#core/audit';
import { DataKeys } from '#core/blobs';
import type { TenantId } from '#core/kernel';
import { sha256Hex, signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import {
  checkExtracts,
  commitLookup,
  companyOf,
  demoRegistry,
  fileRegistry,
  importRegistry,
  isNamed,
  keyLetterOf,
  type LookupPorts,
  prepareLookup,
  type RegistryName,
  readIdentifier,
} from '#slices/registries';
import demo from '../../../config/demo/companies.json' with { type: 'json' };
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';

const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
const BY = { actor: 'cli:test', tenantId: TENANT } as const;
const CSV = [
  'identifier,legal_name,status,city,officers,capital,currency',
  '1282182W,Oliveraie du Sahel SA,active,Sousse,Amel Exemple|Karim Modèle,50000,TND',
  '1496298T,Société Oliveraie,struck_off,Tunis,,,',
  '0789012H,"Pêche, Corail et Fils",active,Bizerte,,,',
].join('\n');

async function openRegistries() {
  const harness = await makeSqliteHarness();
  const { clock } = harness;
  const storage = await harness.open();
  const { tables } = storage;
  const signer = signerFromSeed(new Uint8Array(32).fill(9));
  const log = createAuditLog({
    clock: { monotonicMs: () => performance.now(), now: () => clock.now() },
    holder: 'test',
    random: systemRandom,
    signer,
    store: storage.audit,
  });
  const blobs = new Map<string, Uint8Array>();
  const asked = { times: 0 };
  const ports: LookupPorts = {
    audit: storage.audit,
    blobs: {
      get: async (address) => blobs.get(address),
      put: async (bytes) => {
        const whole = Buffer.from(bytes as Uint8Array);
        const address = sha256Hex(whole);
        blobs.set(address, whole);
        return { address, bytes: whole.length };
      },
    },
    clock,
    commit: log.commit,
    dataKeys: new DataKeys({ master: new Uint8Array(32), random: systemRandom, tables }),
    keyRing: newKeyRing(signer.publicKey),
    random: systemRandom,
    registryFor: async (registry) => {
      asked.times++;
      return fileRegistry(ports, registry);
    },
    tables,
  };
  const close = async (): Promise<void> => {
    await log.close();
    await storage.close();
    await harness.dispose();
  };
  return { alter: harness.alter, asked, blobs, clock, close, ports };
}

describe('identifiers', () => {
  test.each(['0789012H', '1282182W', '1496298T', '0000121J', '0042704H'])('%s fits', (one) => {
    expect(readIdentifier('RNE_TN', one)).toEqual({ value: one, warnings: [] });
    expect(keyLetterOf(one.slice(0, 7))).toBe(one.at(-1));
  });

  test('a letter that does not fit is a warning; a tax suffix is dropped', () => {
    expect(readIdentifier('RNE_TN', '1234567M').warnings).toEqual(['key-letter']);
    expect(readIdentifier('RNE_TN', ' 1282182/w/A/M/000 ').value).toBe('1282182W');
  });

  test('a SIREN by its digits, a SIRET cut to it', () => {
    expect(readIdentifier('RNE_FR', '732 829 320').value).toBe('732829320');
    expect(readIdentifier('RNE_FR', '73282932000074').value).toBe('732829320');
  });

  test.each([
    ['RNE_TN', '1282182I'],
    ['RNE_TN', '128218W'],
    ['RNE_FR', '732829321'],
    ['RNE_FR', '7328293200'],
    ['RNE_FR', ''],
  ] as const)('%s refuses %s', (registry, text) => {
    const refused = expect.objectContaining({ code: 'identifier-invalid' });
    expect(() => readIdentifier(registry, text)).toThrow(refused);
  });
});

describe('what a registry says', () => {
  test('every member is there, whatever is missing or wrong', () => {
    const company = companyOf('1282182W', {
      capital: { amount: '1e9', currency: 'TND' },
      legal_name: 'A\u202eB',
      officers: ['Amel', { name: '' }, { name: 'Sami', since: '2020-02-30' }],
      registered_on: '2019-13-01',
      status: 'dormant',
    });
    expect(company).toEqual({
      activity: null,
      beneficial_owners: null,
      capital: null,
      identifier: '1282182W',
      legal_form: null,
      legal_name: 'A B',
      legal_name_ar: null,
      officers: [
        { name: 'Amel', name_ar: null, role: null, since: null },
        { name: 'Sami', name_ar: null, role: null, since: null },
      ],
      registered_office: null,
      registered_on: null,
      status: 'unknown',
      struck_off_on: null,
      tax_id: null,
      trade_name: null,
    });
    expect(companyOf('1282182W', { legal_name: ' ' })).toBeUndefined();
  });

  test('the demo has twenty invented companies, with identifiers that fit', async () => {
    expect(demo).toHaveLength(20);
    for (const { identifier, registered_office } of demo) {
      const registry: RegistryName = registered_office.country === 'TN' ? 'RNE_TN' : 'RNE_FR';
      expect(readIdentifier(registry, identifier).warnings).toEqual([]);
      const { companies } = await demoRegistry(registry).find({ identifier });
      expect(companies).toMatchObject([{ identifier }]);
    }
  });
});

describe('an extract', () => {
  let house: Awaited<ReturnType<typeof openRegistries>>;
  beforeAll(async () => {
    house = await openRegistries();
    await importRegistry(house.ports, { ...BY, bytes: Buffer.from(CSV), registry: 'RNE_TN' });
  });
  afterAll(() => house.close());

  const lookUp = async (of: { identifier?: string; name?: string; maxAgeHours?: number }) => {
    const ask = { ...BY, maxAgeHours: 24, registry: 'RNE_TN', ...of } as const;
    const prepared = await prepareLookup(house.ports, ask);
    await commitLookup(house.ports, prepared, () => undefined);
    return prepared;
  };

  test('answers by identifier, and from memory for as long as that is young enough', async () => {
    const first = await lookUp({ identifier: '1282182W/A/M/000' });
    expect(first.lookup).toMatchObject({ match: 'exact', source: 'file' });
    expect(first.answer.company).toMatchObject({
      capital: { amount: '50000', currency: 'TND' },
      legal_name: 'Oliveraie du Sahel SA',
      officers: [{ name: 'Amel Exemple' }, { name: 'Karim Modèle' }],
      registered_office: { city: 'Sousse' },
    });
    const before = house.asked.times;
    const again = await lookUp({ identifier: '1282182W' });
    expect(again.lookup.source).toBe('cache');
    expect(again.answer.company).toEqual(first.answer.company);
    expect(house.asked.times).toBe(before);
    house.clock.advance(25 * 3_600_000);
    expect((await lookUp({ identifier: '1282182W' })).lookup.source).toBe('file');
    expect((await lookUp({ identifier: '1282182W', maxAgeHours: 0 })).lookup.source).toBe('file');
  });

  test('none is an answer; a name finds those that have all of its words', async () => {
    expect((await lookUp({ identifier: '0042704H' })).answer).toMatchObject({
      company: null,
      match: 'none',
    });
    const some = await lookUp({ name: 'oliveraie' });
    expect(some.answer.candidates.map(({ identifier }) => identifier)).toEqual([
      '1496298T',
      '1282182W',
    ]);
    const one = await lookUp({ name: 'PECHE CORAIL ET FILS' });
    expect(one.answer).toMatchObject({ company: { identifier: '0789012H' }, match: 'exact' });
    expect((await lookUp({ name: 'oliveraie corail' })).answer.match).toBe('none');
  });

  test('a name of no letters is the name of nobody', async () => {
    const company = companyOf('1282182W', { legal_name: 'Oliveraie' });
    if (company === undefined) throw new Error('it is one');
    expect([isNamed(company, ''), isNamed(company, '***')]).toEqual([false, false]);
    expect(isNamed(company, 'OLIVERAIE')).toBe(true);
  });

  test('a word that very many names have hides no company', async () => {
    const many = await openRegistries();
    const lines = Array.from({ length: 30_000 }, (_, number) => {
      const digits = String(number).padStart(7, '0');
      const legal_name = number < 29_999 ? `Societe Tunisie ${number}` : 'Zarzis Tunisie Societe';
      return JSON.stringify({ identifier: `${digits}${keyLetterOf(digits)}`, legal_name });
    });
    const of = { ...BY, bytes: Buffer.from(lines.join('\n')), registry: 'RNE_TN' } as const;
    await importRegistry(many.ports, of);
    const registry = await fileRegistry(many.ports, 'RNE_TN');
    for (const name of ['societe zarzis', 'zarzis tunisie societe', 'tunisie societe 29998']) {
      const found = await registry?.find({ name });
      expect(found?.companies, name).toHaveLength(1);
    }
    await many.close();
  });

  test('nothing of an answer lies in the clear', async () => {
    const { lookup } = await lookUp({ identifier: '1282182W', maxAgeHours: 0 });
    expect(Buffer.from(house.blobs.get(lookup.blob) ?? []).includes('Amel')).toBe(false);
  });

  test('of a registry that nobody answers for is refused by name', async () => {
    const ask = { ...BY, identifier: '732829320', maxAgeHours: 24, registry: 'RNE_FR' } as const;
    await expect(prepareLookup(house.ports, ask)).rejects.toMatchObject({
      code: 'registry-not-configured',
    });
  });

  test.each([
    ['', 'found no company'],
    ['{"identifier":"1282182W"}', 'line 1: legal_name'],
    ['{"identifier":"1282182W","legal_name":"A"}\n{"ident', 'line 2: expected an object'],
    ['{"identifier":"x","legal_name":"A"}', 'line 1: identifier'],
    [
      '{"identifier":"1282182W","legal_name":"A"}\n{"identifier":"1282182W","legal_name":"B"}',
      'line 2: an identifier stands twice',
    ],
  ])('%s is refused: %s', async (text, detail) => {
    const of = { ...BY, bytes: Buffer.from(text), registry: 'RNE_TN' } as const;
    const code = text === '' ? 'csv-invalid' : 'registry-file-invalid';
    const refused = { code, ...(text !== '' && { message: expect.stringContaining(detail) }) };
    await expect(importRegistry(house.ports, of)).rejects.toMatchObject(refused);
  });

  test('that was changed past the service answers nothing', async () => {
    expect(await checkExtracts(house.ports)).toEqual([]);
    expect(await house.alter('registry_extract', '"companies":3', '"companies":4')).toBe(1);
    expect(await checkExtracts(house.ports)).toHaveLength(1);
    await expect(lookUp({ identifier: '0789012H' })).rejects.toMatchObject({
      code: 'state-altered',
    });
  });
});
