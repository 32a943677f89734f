/** One form: its versions, how each looks in its languages, and the signatures of a draft. */
import type { JSX } from 'preact';
import { change, get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { Code, Data, Time } from '../../parts/data.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { SignPublication } from '../../parts/signPublication.tsx';
import { Table } from '../../parts/table.tsx';
import { routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import type { Page } from '../../types.ts';
import { type AreaKey, useI18n } from './i18n.ts';
import { FormPreview } from './preview.tsx';
import type { FormRow, FormVersion } from './types.ts';

const STATES: Readonly<Record<string, AreaKey>> = {
  Draft: 'formDraft',
  active: 'formActive',
  archived: 'formArchived',
};

export function FormPage({
  id,
  versionId,
}: {
  readonly id: string;
  /** The version that is shown; absent: the latest. */
  readonly versionId: string | undefined;
}): JSX.Element {
  const { language, t } = useI18n();
  const path = `/v1/forms/${id}`;
  const form = useLoad(path, (signal) => get<FormRow>(path, {}, signal));
  const versions = useLoad(`${path}/versions`, (signal) =>
    get<Page<FormVersion>>(`${path}/versions`, { include: 'schema' }, signal),
  );
  return (
    <PageFrame title={t('formTitle')}>
      <Ready of={form}>
        {({ code, name }) => (
          <p class="headline">
            <strong>
              <Data text={name[language] ?? Object.values(name)[0]} />
            </strong>
            <Code text={code} />
          </p>
        )}
      </Ready>
      <Ready of={versions}>
        {({ data }) => {
          const shown = data.find((one) => one.version_id === versionId) ?? data[0];
          return (
            <>
              <Versions formId={id} of={data} shown={shown} />
              {shown === undefined ? null : (
                <>
                  <Actions
                    formId={id}
                    hasDraft={data.some(({ status }) => status === 'Draft')}
                    of={shown}
                    onChanged={() => {
                      form.again();
                      versions.again();
                    }}
                  />
                  <FormPreview formId={id} key={shown.version_id} of={shown} />
                </>
              )}
            </>
          );
        }}
      </Ready>
      <p>
        <a href={routeTo('forms')}>{t('formsTitle')}</a>
      </p>
    </PageFrame>
  );
}

function Versions({
  formId,
  of,
  shown,
}: {
  readonly formId: string;
  readonly of: readonly FormVersion[];
  readonly shown: FormVersion | undefined;
}): JSX.Element {
  const { t } = useI18n();
  const fields = (names: readonly string[]): JSX.Element =>
    names.length === 0 ? <span>–</span> : <Code text={names.join(', ')} />;
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">{t('formVersions')}</h2>
      <Table
        caption={t('formVersions')}
        heads={[
          t('colVersion'),
          t('approvalState'),
          t('formAdded'),
          t('formChangedFields'),
          t('formRemoved'),
          t('writtenBy'),
          t('formPublished'),
        ]}
      >
        {of.map((one) => {
          const { status, version, version_id } = one;
          const key = STATES[status];
          return (
            <tr key={version_id}>
              <th scope="row">
                <a
                  aria-current={version_id === shown?.version_id ? 'true' : undefined}
                  href={routeTo('forms', formId, { version: version_id })}
                >
                  <Code text={version} />
                </a>
              </th>
              <td>
                <span class={status === 'active' ? 'tag good' : 'tag'}>
                  {key === undefined ? status : t(key)}
                </span>
              </td>
              <td>{fields(one.added_fields)}</td>
              <td>{fields(one.changed_fields)}</td>
              <td>{fields(one.removed_fields)}</td>
              <td>
                <Code text={one.updated_by} />
              </td>
              <td>
                <Time at={one.published_at} />
              </td>
            </tr>
          );
        })}
      </Table>
    </section>
  );
}

function Actions({
  formId,
  hasDraft,
  of,
  onChanged,
}: {
  readonly formId: string;
  readonly hasDraft: boolean;
  readonly of: FormVersion;
  readonly onChanged: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const mayChange = may(caller, 'changeForms');
  const { attempt, failure, isBusy } = useAttempt();
  const path = `/v1/forms/${formId}/versions`;
  const draft = (): void =>
    attempt(async () => {
      await change('POST', path, {});
      onChanged();
      return t('formDrafted');
    });
  const discard = (): void =>
    attempt(async () => {
      await change('DELETE', `${path}/${of.version_id}`, undefined, { 'If-Match': of.etag });
      onChanged();
      return t('formDiscarded');
    });
  return (
    <>
      <div class="actions">
        {mayChange && !hasDraft ? (
          <button disabled={isBusy} onClick={draft} type="button">
            {t('formNewDraft')}
          </button>
        ) : null}
        {mayChange && of.status === 'Draft' ? (
          <button disabled={isBusy} onClick={discard} type="button">
            {t('formDiscard')}
          </button>
        ) : null}
      </div>
      {failure}
      {of.signing === null ? null : (
        <SignPublication
          maySign={may(caller, 'publishForms')}
          of={{
            etag: of.etag,
            isSigned: of.signed_until !== null,
            isSignedByMe: false,
            path: `${path}/${of.version_id}/publish`,
            signing: of.signing,
          }}
          onChanged={onChanged}
        />
      )}
    </>
  );
}
