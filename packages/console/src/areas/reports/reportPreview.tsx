/** What would be filed now, and what keeps it from that. Each look is an entry of the chain. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../../http.ts';
import { Code, CodeBlock, Data } from '../../parts/data.tsx';
import { Failure } from '../../parts/frame.tsx';
import { Faults } from '../../parts/jsonField.tsx';
import { Table } from '../../parts/table.tsx';
import { useI18n } from './i18n.ts';
import { type Preview, pathOf, type Report } from './types.ts';

export function ReportPreview({ of }: { readonly of: Report }): JSX.Element {
  const { t } = useI18n();
  const [found, setFound] = useState<Preview>();
  const [error, setError] = useState<unknown>();
  const look = async (): Promise<void> => {
    setError(undefined);
    try {
      setFound(await get<Preview>(`${pathOf(of)}/preview`));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{t('preview')}</h2>
      <p class="hint">{t('previewHint')}</p>
      <button onClick={look} type="button">
        {t('previewDo')}
      </button>
      {error === undefined ? null : <Failure error={error} />}
      <div aria-live="polite">{found === undefined ? null : <Found of={found} />}</div>
    </section>
  );
}

function Found({ of }: { readonly of: Preview }): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <p>
        <span class={`tag ${of.complete ? 'good' : 'bad'}`}>
          {t(of.complete ? 'isComplete' : 'isIncomplete')}
        </span>{' '}
        {of.filable ? null : <span class="tag">{t('notFilable')}</span>}
      </p>
      {of.faults.length === 0 ? null : <Faults of={of.faults} />}
      {of.adapted.length === 0 ? null : (
        <Table caption={t('adapted')} heads={[t('colPlace'), t('adapted')]}>
          {of.adapted.map((one) => (
            <tr key={`${one.pointer}/${one.element}`}>
              <td>
                <Code text={one.pointer} />
              </td>
              <td>
                <Code text={one.element} /> <Data text={one.text} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {of.omitted.length === 0 ? null : (
        <p>
          {t('omitted')}{' '}
          {of.omitted.map((one) => (
            <span class="one-of" key={one}>
              <Code text={one} />
            </span>
          ))}
        </p>
      )}
      <details>
        <summary>XML</summary>
        <CodeBlock label="XML" text={of.xml} />
      </details>
    </>
  );
}
