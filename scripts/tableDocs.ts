/**
 * What docs and config say of declared tables: which members are personal data and why they are
 * kept, and which rights the service has on their collections.
 */
import { type AnyTable, type PersonalMember, plainTable } from '#core/kernel';
import { actionsOf } from '../src/storage/mongo/tableCollections.ts';

const LINE_WIDTH = 100;

/** Rows of the inventory of personal data: table, member, purpose, how long. */
export function personalRows(tables: readonly AnyTable[]): string[][] {
  return tables.flatMap(({ name, spec }) => {
    const { personal } = spec as { personal: 'none' | Record<string, PersonalMember> };
    if (personal === 'none') return [];
    return Object.entries(personal).map(([member, { purpose }]) => [
      `\`${name}\``,
      `\`${member}\``,
      purpose,
      'as long as the record',
    ]);
  });
}

interface Privilege {
  readonly collections: readonly string[];
  readonly actions: readonly string[];
}

interface RolesDocument {
  readonly roles: readonly { readonly role: string; readonly privileges: readonly Privilege[] }[];
}

/** config/mongo-roles.json, in which the service may do to each table what its declaration asks. */
export function mongoRoles(text: string, tables: readonly AnyTable[]): string {
  const document = JSON.parse(text) as RolesDocument;
  const roles = document.roles.map((of) =>
    of.role === 'complianceRuntime'
      ? { ...of, privileges: tables.reduce(withTable, of.privileges) }
      : of,
  );
  return `${printed({ ...document, roles }, '', '')}\n`;
}

/** A table that stands beside other rights is moved: its declaration may have changed. */
function withTable(privileges: readonly Privilege[], table: AnyTable): readonly Privilege[] {
  const { name } = table;
  const actions = actionsOf(plainTable(table));
  const isAlike = (one: Privilege) => one.actions.join() === actions.join();
  if (privileges.some((one) => isAlike(one) && one.collections.includes(name))) return privileges;
  const others = privileges.map(({ actions: granted, collections }) => ({
    collections: collections.filter((other) => other !== name),
    actions: granted,
  }));
  const known = others.some(isAlike) ? others : [{ collections: [], actions }, ...others];
  return known
    .map((one) => (isAlike(one) ? { ...one, collections: [...one.collections, name] } : one))
    .filter(({ collections }) => collections.length > 0);
}

/** As the formatter leaves JSON: lists of words on one line where they fit. */
function printed(value: unknown, indent: string, before: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const inner = `${indent}  `;
  const parts = Object.entries(value).map(([name, member]) => {
    const lead = isList ? '' : `${JSON.stringify(name)}: `;
    return `${lead}${printed(member, inner, lead)}`;
  });
  const line = `[${parts.join(', ')}]`;
  const isShort = indent.length + before.length + line.length < LINE_WIDTH;
  if (isList && isShort && value.every((one) => typeof one !== 'object')) return line;
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}
