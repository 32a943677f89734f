/** Small files in the Security Council's layout. */
export function unFile(parts: {
  individuals?: readonly string[];
  entities?: readonly string[];
  generated?: string;
}): string {
  const individuals = parts.individuals ?? [individual({ reference: 'QDi.001' })];
  const entities = parts.entities ?? [entity({ reference: 'QDe.001' })];
  return `<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:noNamespaceSchemaLocation="https://www.un.org/sc/resources/sc-sanctions.xsd"
  dateGenerated="${parts.generated ?? '2025-04-19T23:00:04.625Z'}">
  <INDIVIDUALS>${individuals.join('\n')}</INDIVIDUALS>
  <ENTITIES>${entities.join('\n')}</ENTITIES>
</CONSOLIDATED_LIST>`;
}

interface Parts {
  readonly reference: string;
  readonly name?: string;
  readonly inner?: string;
}

export const individual = ({ reference, name = 'VELMOR', inner = '' }: Parts): string =>
  `<INDIVIDUAL><DATAID>1</DATAID><VERSIONNUM>1</VERSIONNUM><FIRST_NAME>${name}</FIRST_NAME>
    <REFERENCE_NUMBER>${reference}</REFERENCE_NUMBER>${inner}<SORT_KEY/></INDIVIDUAL>`;

export const entity = ({ reference, name = 'ORVAND GROUP', inner = '' }: Parts): string =>
  `<ENTITY><DATAID>2</DATAID><FIRST_NAME>${name}</FIRST_NAME>
    <REFERENCE_NUMBER>${reference}</REFERENCE_NUMBER>${inner}</ENTITY>`;
