/** Forms with their active versions, and the workflows that cases go through. */
import type { JSX } from 'preact';
import example from '../../../../../config/demo/onboarding.json' with { type: 'json' };
import { change } from '../../http.ts';
import { Code, Data, Time } from '../../parts/data.tsx';
import { Example } from '../../parts/example.tsx';
import { PageFrame } from '../../parts/frame.tsx';
import { useMore } from '../../parts/more.tsx';
import { Table } from '../../parts/table.tsx';
import { routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import type { FormRow } from './types.ts';
import { Workflows } from './workflows.tsx';

export function FormList(): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const list = useMore<FormRow>('/v1/forms');
  const make = (): Promise<unknown> => {
    const code = `example_${Date.now().toString(36)}`;
    return change('POST', '/v1/forms', { ...example, code });
  };
  return (
    <PageFrame title={t('formsTitle')}>
      <section aria-labelledby="forms">
        <h2 id="forms">{t('formsOnly')}</h2>
        {may(caller, 'changeForms') ? (
          <div class="actions">
            <Example
              done={t('formExampleDone')}
              label={t('formExample')}
              onDone={list.again}
              steps={() => [make]}
            />
          </div>
        ) : null}
        {list.shown((rows) => (
          <Rows of={rows} />
        ))}
      </section>
      {may(caller, 'readWorkflows') ? (
        <section aria-labelledby="workflows">
          <h2 id="workflows">{t('workflowsOnly')}</h2>
          <Workflows />
        </section>
      ) : null}
    </PageFrame>
  );
}

function Rows({ of }: { readonly of: readonly FormRow[] }): JSX.Element {
  const { language, number, t } = useI18n();
  return (
    <Table
      caption={t('formsOnly')}
      heads={[
        t('colName'),
        t('formTitle'),
        t('formActiveVersion'),
        t('formLanguages'),
        [t('formUsage'), 'number'],
        t('colUpdated'),
      ]}
    >
      {of.map((one) => (
        <tr key={one.form_id}>
          <th scope="row">
            <a href={routeTo('forms', one.form_id)}>
              <Data text={one.name[language] ?? Object.values(one.name)[0]} />
            </a>
          </th>
          <td>
            <Code text={one.code} />
          </td>
          <td>{one.active_version === null ? t('none') : <Code text={one.active_version} />}</td>
          <td>
            <Code text={one.languages.join(', ')} />
          </td>
          <td class="number">{number(one.usage_30d)}</td>
          <td>
            <Time at={one.updated_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
