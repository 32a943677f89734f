/** Sanctions policies: the one in force, drafts, and what was before. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { Code, Data, Time } from '../../parts/data.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { routeTo } from '../../router.ts';
import { useI18n } from './i18n.ts';
import type { SanctionsPolicies, SanctionsPolicy } from './types.ts';
import { usePolicyWords } from './useWords.ts';

const PATH = '/v1/sanctions/policies';

export function PolicyList(): JSX.Element {
  const { t } = useI18n();
  const [cursor, setCursor] = useState<string>();
  const page = useLoad(cursor ?? '', (signal) => get<SanctionsPolicies>(PATH, { cursor }, signal));
  return (
    <PageFrame title={t('policiesTitle')}>
      <Ready of={page}>
        {({ active, drafts, history, history_cursor }) => (
          <>
            {active === null ? <p class="notice">{t('policyNoneYet')}</p> : null}
            <Rows of={[...(active === null ? [] : [active]), ...drafts, ...history]} />
            {history_cursor === null ? null : (
              <button onClick={() => setCursor(history_cursor)} type="button">
                {t('more')}
              </button>
            )}
          </>
        )}
      </Ready>
    </PageFrame>
  );
}

function Rows({ of }: { readonly of: readonly SanctionsPolicy[] }): JSX.Element {
  const { number, t } = useI18n();
  const words = usePolicyWords();
  if (of.length === 0) return <p>{t('nothingHere')}</p>;
  return (
    <Table
      caption={t('policiesTitle')}
      heads={[
        t('colVersion'),
        t('approvalState'),
        t('justification'),
        [t('colChange'), 'number'],
        t('writtenBy'),
        t('colUpdated'),
        t('effectiveAt'),
      ]}
    >
      {of.map((one) => (
        <tr key={one.version}>
          <th scope="row">
            <a href={routeTo('policies', String(one.version))}>
              {t('colVersion')} {number(one.version)}
            </a>
          </th>
          <td>
            <span class={one.status === 'PUBLISHED' ? 'tag good' : 'tag'}>
              {words.state(one.status)}
            </span>
          </td>
          <td>
            <Data text={one.justification} />
          </td>
          <td class="number">{number(one.change_summary.length)}</td>
          <td>
            <Code text={one.updated_by} />
          </td>
          <td>
            <Time at={one.updated_at} />
          </td>
          <td>
            <Time at={one.published_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
