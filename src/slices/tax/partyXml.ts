/** Persons and organisations in a report, member for member in the order of its schema. */
import type { PartyAddress, PartyName, TaxParty } from './account.ts';
import type { Dialect } from './dialects.ts';
import { leaf, node, type Xml } from './xmlWriter.ts';

/** A number of an organisation: TIN under FATCA, IN under CRS. */
interface WrittenNumber {
  readonly value: string;
  readonly country: string;
  readonly type?: string;
}

/** `Individual` or `Organisation`. */
export const partyXml = (dialect: Dialect, party: TaxParty): Xml =>
  party.kind === 'individual'
    ? node(`${dialect.of.main}:Individual`, individualParts(dialect, party))
    : node(
        `${dialect.of.main}:Organisation`,
        organisationParts(dialect, {
          addresses: party.addresses,
          countries: party.residence_countries,
          names: party.names,
          numbers: party.tins ?? [],
        }),
      );

function individualParts(dialect: Dialect, party: TaxParty): readonly Xml[] {
  const { of, regime } = dialect;
  const { birth } = party;
  const p = of.party;
  return [
    ...party.residence_countries.map((country) => leaf(`${p}:ResCountryCode`, country)),
    ...(party.tins ?? []).map(({ country, value }) =>
      leaf(`${p}:TIN`, value, { issuedBy: country }),
    ),
    ...party.names.map((name) => personName(p, name)),
    ...party.addresses.map((address) => addressXml(dialect, address)),
    // Under CRS the receiver is not to be told.
    ...(regime === 'FATCA' ? (party.nationalities ?? []) : []).map((country) =>
      leaf(`${p}:Nationality`, country),
    ),
    birth === undefined
      ? ''
      : node(`${p}:BirthInfo`, [
          leaf(`${p}:BirthDate`, birth.date),
          leaf(`${p}:City`, birth.city),
          birth.country === undefined
            ? ''
            : node(`${p}:CountryInfo`, [leaf(`${p}:CountryCode`, birth.country)]),
        ]),
  ];
}

const personName = (p: string, { first, last, middle, type }: PartyName): Xml =>
  node(
    `${p}:Name`,
    [leaf(`${p}:FirstName`, first), leaf(`${p}:MiddleName`, middle), leaf(`${p}:LastName`, last)],
    { nameType: type },
  );

/** Members of an organisation, also of the one that reports. */
export function organisationParts(
  dialect: Dialect,
  of: {
    readonly addresses: readonly PartyAddress[];
    readonly countries: readonly string[];
    readonly names: readonly Pick<PartyName, 'name' | 'type'>[];
    readonly numbers: readonly WrittenNumber[];
  },
): readonly Xml[] {
  const p = dialect.of.party;
  const number = dialect.regime === 'FATCA' ? 'TIN' : 'IN';
  return [
    ...of.countries.map((country) => leaf(`${p}:ResCountryCode`, country)),
    ...of.numbers.map(({ country, type, value }) =>
      leaf(`${p}:${number}`, value, {
        issuedBy: country,
        ...(number === 'IN' && { INType: type }),
      }),
    ),
    ...of.names.map(({ name, type }) => leaf(`${p}:Name`, name, { nameType: type })),
    ...of.addresses.map((address) => addressXml(dialect, address)),
  ];
}

function addressXml({ of }: Dialect, address: PartyAddress): Xml {
  const a = of.address;
  const parts = [
    ['Street', address.street],
    ['BuildingIdentifier', address.building],
    ['SuiteIdentifier', address.suite],
    ['FloorIdentifier', address.floor],
    ['DistrictName', address.district],
    ['POB', address.po_box],
    ['PostCode', address.post_code],
    ['City', address.city],
    ['CountrySubentity', address.subentity],
  ] as const;
  const fix =
    address.city === undefined
      ? ''
      : node(
          `${a}:AddressFix`,
          parts.map(([name, text]) => leaf(`${a}:${name}`, text)),
        );
  return node(
    `${of.party}:Address`,
    [leaf(`${a}:CountryCode`, address.country), fix, leaf(`${a}:AddressFree`, address.free)],
    { legalAddressType: address.type },
  );
}
