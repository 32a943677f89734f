/** Small files in OFAC's layout. */
export const NAMESPACE =
  'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML';
export const OLD_NAMESPACE = 'http://tempuri.org/sdnList.xsd';

export interface SdnFileParts {
  readonly entries?: readonly string[];
  readonly namespace?: string;
  readonly declaration?: string;
  readonly publishDate?: string;
  readonly recordCount?: number | string;
}

export function sdnFile(parts: SdnFileParts = {}): string {
  const entries = parts.entries ?? [entry({ uid: 36, lastName: 'AEROCARIBBEAN' })];
  return `${parts.declaration ?? '<?xml version="1.0" standalone="yes"?>'}
<sdnList xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns="${parts.namespace ?? NAMESPACE}">
  <publshInformation>
    <Publish_Date>${parts.publishDate ?? '07/02/2024'}</Publish_Date>
    <Record_Count>${parts.recordCount ?? entries.length}</Record_Count>
  </publshInformation>
  ${entries.join('\n  ')}
</sdnList>
`;
}

export function entry(parts: {
  uid: number;
  lastName: string;
  firstName?: string;
  sdnType?: string;
  inner?: string;
}): string {
  const first = parts.firstName ? `<firstName>${parts.firstName}</firstName>` : '';
  return `<sdnEntry><uid>${parts.uid}</uid>${first}<lastName>${parts.lastName}</lastName>
    <sdnType>${parts.sdnType ?? (first ? 'Individual' : 'Entity')}</sdnType>
    ${parts.inner ?? ''}</sdnEntry>`;
}
