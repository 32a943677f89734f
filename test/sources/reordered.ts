/** A publisher's file with its records in another order: what the order should not decide. */
import { Buffer } from 'node:buffer';

/** The file with its records in another order; `whole` groups where rows belong together. */
export function reordered(
  bytes: Uint8Array,
  change: (records: string[]) => string[],
  whole = false,
): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  if (text.startsWith('Last Updated')) return reorderedRows(text, change, whole);
  const kinds = ['INDIVIDUAL', 'ENTITY', 'sanctionEntity'].filter((kind) =>
    text.includes(`<${kind}`),
  );
  let changed = text;
  for (const kind of kinds) {
    const pattern = new RegExp(`<${kind}[\\s>][^]*?</${kind}>`, 'g');
    const next = change(changed.match(pattern) ?? []).values();
    changed = changed.replace(pattern, () => next.next().value ?? '');
  }
  return Buffer.from(changed, 'latin1');
}

function reorderedRows(
  text: string,
  change: (records: string[]) => string[],
  whole: boolean,
): Uint8Array {
  const [first = '', columns = '', ...rows] = text.split('\r\n').slice(0, -1);
  const groups = new Set(rows.slice(0, 20).map(groupOf));
  const records = whole ? rows.filter((row) => groups.has(groupOf(row))) : rows;
  const lines = whole ? change(records.slice(0, 60)).concat(records.slice(60)) : change(records);
  const left = whole ? [] : records.filter((row) => !lines.includes(row));
  return Buffer.from([first, columns, ...lines, ...left, ''].join('\r\n'), 'latin1');
}

const groupOf = (row: string): string => row.slice(row.lastIndexOf(',') + 1);
