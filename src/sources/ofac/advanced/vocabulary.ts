/**
 * The elements of the Advanced Sanctions Data Model. Any other element is an addition of the
 * publisher's, which is kept and counted.
 */
export const SECTIONS = [
  'DateOfIssue',
  'ReferenceValueSets',
  'Locations',
  'IDRegDocuments',
  'DistinctParties',
  'ProfileRelationships',
  'SanctionsEntries',
  'SanctionsEntryLinks',
] as const;
export type Section = (typeof SECTIONS)[number];

/** The one record that each section holds any number of; the other two are read by themselves. */
export const RECORDS: Readonly<Partial<Record<Section, string>>> = {
  Locations: 'Location',
  IDRegDocuments: 'IDRegDocument',
  DistinctParties: 'DistinctParty',
  ProfileRelationships: 'ProfileRelationship',
  SanctionsEntries: 'SanctionsEntry',
  SanctionsEntryLinks: 'SanctionsEntryLink',
};

const NAMES = `
  Alias Comment Date DatePeriod Day Days Description DirectURL DistinctParty DocumentDate
  DocumentedName DocumentedNameCountry DocumentedNamePart DocumentedNameReference DurationMaximum
  DurationMinimum End EntryEvent ExRefValue ExternalReference Feature FeatureVersion
  FeatureVersionReference From IDRegDocument IDRegDocumentMention IDRegDocumentReference
  IDRegistrationNo Identity IdentityReference IssuingAuthority LimitationsToListing Location
  LocationAreaCode LocationCountry LocationPart LocationPartValue MasterNamePartGroup Month Months
  NamePartGroup NamePartGroups NamePartValue Profile ProfileRelationship
  ProfileRelationshipReference SanctionsEntry SanctionsEntryLink SanctionsEntryReference
  SanctionsMeasure Start SubLink SupportingInfo Text To Value VersionDetail VersionLocation Year
  Years`;

export const ELEMENTS: ReadonlySet<string> = new Set([
  ...NAMES.trim().split(/\s+/),
  ...SECTIONS,
  'Sanctions',
]);
