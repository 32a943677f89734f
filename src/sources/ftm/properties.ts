/**
 * FtM properties by their place in list format v1. A property without a row is kept under its own
 * name, in snake case like everything on this wire, so no statement of the publisher is lost.
 */
import { PROGRAMMES } from '../properties.ts';

export type Role =
  | 'name'
  | 'weak'
  | 'former'
  | 'birth'
  | 'place'
  | 'placeCountry'
  | 'citizenship'
  | 'country'
  | 'address'
  | 'addressEntity'
  | 'parent'
  | 'topics'
  | { readonly identifier: string }
  | { readonly property: string };

const IDENTIFIERS: Readonly<Record<string, string>> = {
  amfiNumber: 'amfi',
  bikCode: 'bik',
  bvdId: 'bvd_id',
  callSign: 'call_sign',
  ckCode: 'ck_code',
  cikCode: 'cik',
  cryptoWalletId: 'crypto_wallet',
  dunsCode: 'duns',
  fnsCode: 'fns',
  giiNumber: 'giin',
  icpcode: 'icp',
  idNumber: 'id_number',
  imoNumber: 'imo',
  innCode: 'inn',
  ipoCode: 'ipo',
  isinCode: 'isin',
  jibCode: 'jib',
  kppCode: 'kpp',
  leiCode: 'lei',
  mbsCode: 'mbs',
  mmsi: 'mmsi',
  npiCode: 'npi',
  ogrnCode: 'ogrn',
  okpoCode: 'okpo',
  okvedCode: 'okved',
  oksmCode: 'oksm',
  passportNumber: 'passport',
  permId: 'perm_id',
  publicKey: 'crypto_wallet',
  registrationNumber: 'registration_number',
  ricCode: 'ric',
  serialNumber: 'serial_number',
  socialSecurityNumber: 'social_security_number',
  swiftBic: 'swift_bic',
  taxNumber: 'tax_id',
  uniqueEntityId: 'uei',
  unscId: 'un_reference',
  uscCode: 'usc_code',
  vatCode: 'vat',
  voenCode: 'voen',
};

const ROLES: Readonly<Record<string, Role>> = {
  abbreviation: 'weak',
  address: 'address',
  addressEntity: 'addressEntity',
  alias: 'name',
  birthCountry: 'placeCountry',
  birthDate: 'birth',
  birthPlace: 'place',
  citizenship: 'citizenship',
  country: 'country',
  flag: 'country',
  jurisdiction: 'country',
  mainCountry: 'country',
  name: 'name',
  nationality: 'citizenship',
  notes: { property: 'remarks' },
  parent: 'parent',
  previousName: 'former',
  program: { property: PROGRAMMES },
  programId: { property: PROGRAMMES },
  topics: 'topics',
  weakAlias: 'weak',
};

const roles = new Map<string, Role>(Object.entries(ROLES));
for (const [name, identifier] of Object.entries(IDENTIFIERS)) roles.set(name, { identifier });

export function roleOf(name: string): Role {
  const known = roles.get(name);
  if (known) return known;
  const property = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const role = { property };
  // A file has few properties; the bound keeps a hostile one from growing this.
  if (roles.size < 1_000) roles.set(name, role);
  return role;
}
