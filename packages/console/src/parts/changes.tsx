/** What one content has and another has not, member by member. */
import type { JSX } from 'preact';
import { useI18n } from '../i18n/index.ts';
import { Code } from './data.tsx';
import { Table } from './table.tsx';

export interface Change {
  /** RFC 6901, into the content. */
  readonly pointer: string;
  /** null: not there */
  readonly old: unknown;
  readonly new: unknown;
}

export function Changes({
  caption,
  of,
}: {
  readonly caption: string;
  readonly of: readonly Change[];
}): JSX.Element {
  const { t } = useI18n();
  if (of.length === 0) return <p>{t('sameContent')}</p>;
  return (
    <Table caption={caption} heads={[t('colMember'), t('oldValue'), t('newValue')]}>
      {of.map((change) => (
        <tr key={change.pointer}>
          <th scope="row">
            <Code text={change.pointer} />
          </th>
          <td>
            <del>
              <Value of={change.old} />
            </del>
          </td>
          <td>
            <ins>
              <Value of={change.new} />
            </ins>
          </td>
        </tr>
      ))}
    </Table>
  );
}

const Value = ({ of }: { readonly of: unknown }): JSX.Element =>
  of === null ? <span class="muted">–</span> : <Code text={textOf(of)} />;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** Members that differ, by their pointers. Members of lists are told apart by their ids. */
export function changesBetween(before: object, after: object): readonly Change[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .sort()
    .map((pointer) => ({
      new: now.get(pointer) ?? null,
      old: old.get(pointer) ?? null,
      pointer,
    }))
    .filter((change) => JSON.stringify(change.old) !== JSON.stringify(change.new));
}

function leavesOf(value: object, at = '', leaves = new Map<string, unknown>()) {
  for (const [name, member] of Object.entries(namedOf(value))) {
    const pointer = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const isDeeper = typeof member === 'object' && member !== null;
    const isPlainList = Array.isArray(member) && !hasIds(member);
    if (isDeeper && !isPlainList) leavesOf(member, pointer, leaves);
    else leaves.set(pointer, member);
  }
  return leaves;
}

const hasIds = (list: readonly unknown[]): list is readonly { readonly id: string }[] =>
  list.length > 0 && list.every((one) => typeof (one as { id?: unknown } | null)?.id === 'string');

const namedOf = (value: object): object =>
  Array.isArray(value) && hasIds(value)
    ? Object.fromEntries(value.map((one) => [one.id, one]))
    : value;
