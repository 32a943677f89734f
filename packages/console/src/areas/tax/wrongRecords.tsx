/** Records that the authority has found wrong, with the fields that it names. */
import type { JSX } from 'preact';
import { Code, Data } from '../../parts/data.tsx';
import { useMore } from '../../parts/more.tsx';
import { Table } from '../../parts/table.tsx';
import { useI18n } from './i18n.ts';
import type { Declaration, WrongRecord } from './types.ts';

export function WrongRecords({ of }: { readonly of: Declaration }): JSX.Element {
  const { t } = useI18n();
  const list = useMore<WrongRecord>(`/v1/tcr/declarations/${of.declaration_id}/records`);
  return (
    <section aria-labelledby="wrong">
      <h2 id="wrong">{t('taxWrong')}</h2>
      {list.shown((rows) => (
        <Table
          caption={t('taxWrong')}
          heads={[t('taxRecords'), t('taxAnswer'), t('taxMeaning'), t('taxPointer')]}
        >
          {rows.map((row) => (
            <tr key={row.doc_ref_id + row.code}>
              <th scope="row">
                <Code text={row.doc_ref_id} />
              </th>
              <td>
                <Code text={row.code} />
              </td>
              <td>
                <Data text={row.meaning} />
              </td>
              <td>
                {row.fields.map((field) => (
                  <p key={field.name}>
                    <Code text={field.name} /> <Data text={field.text} />
                  </p>
                ))}
              </td>
            </tr>
          ))}
        </Table>
      ))}
    </section>
  );
}
