/** Conditions of policies and forms, as one line. */
/** `all`, `any`, `not`, or a comparison. */
export interface Condition {
  readonly all?: readonly Condition[];
  readonly any?: readonly Condition[];
  readonly not?: Condition;
  readonly field?: string;
  readonly op?: string;
  readonly value?: unknown;
}

const SIGNS: Readonly<Record<string, string>> = {
  eq: '=',
  ge: '≥',
  gt: '>',
  in: '∈',
  le: '≤',
  lt: '<',
  ne: '≠',
  not_in: '∉',
};

/** A condition in one line, as programs write it: it stands left to right in every language. */
export function conditionText(of: Condition, isInner = false): string {
  const joined = (parts: readonly Condition[], word: string): string => {
    const text = parts.map((part) => conditionText(part, true)).join(` ${word} `);
    return isInner && parts.length > 1 ? `(${text})` : text;
  };
  if (of.all !== undefined) return joined(of.all, 'AND');
  if (of.any !== undefined) return joined(of.any, 'OR');
  if (of.not !== undefined) return `NOT (${conditionText(of.not)})`;
  const { field = '', op = '', value } = of;
  const sign = SIGNS[op];
  if (sign === undefined) return `${field} ${op}`;
  return `${field} ${sign} ${Array.isArray(value) ? `{${value.join(', ')}}` : String(value)}`;
}
