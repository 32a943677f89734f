/** Names of a package and of what is in it, as IDES reads them: letter case counts. */
import { type EpochMs, toTimestamp } from '#platform/clock';

/** The IRS as a receiver of reports. */
export const IRS = '000000.00000.TA.840';

const PUNCTUATION = /[-:.]/g;
const ENTRY = /^([0-9A-Z.]{19})_(Payload|Metadata\.xml|Key)$/;

/** `20260331T093000000Z_98Q96B.00000.LE.250.zip`; also the SenderFileId that answers name. */
export const packageName = (sender: string, at: EpochMs): string =>
  `${toTimestamp(at).replaceAll(PUNCTUATION, '')}_${sender}.zip`;

export const payloadName = (sender: string): string => `${sender}_Payload`;
export const metadataName = (sender: string): string => `${sender}_Metadata.xml`;
export const keyName = (receiver: string): string => `${receiver}_Key`;
/** The one entry of the archive that is encrypted. */
export const reportName = (sender: string): string => `${sender}_Payload.xml`;

/** Whose an entry is, and what; undefined for a name that no package has. */
export function readEntryName(
  name: string,
): { readonly entity: string; readonly part: 'Key' | 'Metadata.xml' | 'Payload' } | undefined {
  const [, entity = '', part] = ENTRY.exec(name) ?? [];
  if (part !== 'Key' && part !== 'Metadata.xml' && part !== 'Payload') return undefined;
  return { entity, part };
}
