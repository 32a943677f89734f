/** The bytes of a signature, as the API checks them: canonical JSON behind a prefix. */

/** What is signed, as the API shows it; who signs and when comes beside it. */
export interface SigningMembers {
  readonly author: string;
  readonly field: string;
  readonly new_value: unknown;
  readonly resource: string;
}

const PREFIX = 'dual-control-v1\0';

/** RFC 8785 of plain data: members in the order of their names' UTF-16 units, no blanks. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, one]) => `${JSON.stringify(name)}:${canonicalJson(one)}`);
  return `{${members.join(',')}}`;
}

export const signedBytes = (
  { author, field, new_value, resource }: SigningMembers,
  by: { readonly approver: string; readonly timestamp: string },
): string => PREFIX + canonicalJson({ ...by, author, field, new_value, resource });
