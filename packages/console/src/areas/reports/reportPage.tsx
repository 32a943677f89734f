/** One report: what it says, how far it is, and what a person may do with it. */
import type { JSX } from 'preact';
import { get } from '../../http.ts';
import { type Loaded, useLoad } from '../../load.ts';
import { Code, Data, Time } from '../../parts/data.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { Who } from '../../parts/who.tsx';
import { routeTo } from '../../router.ts';
import { useI18n } from './i18n.ts';
import { ReportActions } from './reportActions.tsx';
import { ReportContent } from './reportContent.tsx';
import { ReportPreview } from './reportPreview.tsx';
import { Submissions } from './submissions.tsx';
import { ReportState } from './tags.tsx';
import { pathOf, type Report } from './types.ts';

export function ReportPage({ id }: { readonly id: string }): JSX.Element {
  const { t } = useI18n();
  const found = useLoad(id, (signal) => get<Report>(pathOf({ str_id: id }), {}, signal));
  return (
    <PageFrame title={t('reportTitle')}>
      <p class="ways">
        <a href={routeTo('reports')}>{t('backToReports')}</a>
      </p>
      <Ready of={found}>{(report) => <Detail of={report} reading={found} />}</Ready>
    </PageFrame>
  );
}

function Detail({
  of,
  reading,
}: {
  readonly of: Report;
  readonly reading: Loaded<Report>;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <Summary of={of} />
      <div class="triage">
        <div>
          {of.content === null ? (
            <p>{t('erased')}</p>
          ) : (
            <ReportContent content={of.content} of={of} />
          )}
          {of.content === null ? null : <ReportPreview key={of.etag} of={of} />}
          <Submissions of={of} />
        </div>
        <aside aria-label={t('reportSteps')}>
          <ReportActions key={of.etag} of={of} onChanged={reading.again} />
        </aside>
      </div>
    </>
  );
}

function Summary({ of }: { readonly of: Report }): JSX.Element {
  const { t } = useI18n();
  const { delivery } = of;
  return (
    <div class="panel">
      <p class="headline">
        <ReportState of={of.status} /> <Code text={`${of.report_code} · ${of.profile}`} />
      </p>
      <p>
        {t('draftedBy')} <Who actor={of.author} /> · {t('changedBy')} <Who actor={of.updated_by} />{' '}
        · <Time at={of.updated_at} />
      </p>
      <p>
        {t('contentHash')} <Code text={of.content_hash} />
      </p>
      {of.return_comment === null ? null : (
        <div class="notice bad">
          <p>{t('returnedWith')}</p>
          <p>
            <Data text={of.return_comment} />
          </p>
        </div>
      )}
      {of.validation === null ? null : (
        <p>
          {t('validatedBy')} <Who actor={of.validation.validator} /> ·{' '}
          <Time at={of.validation.timestamp} />
        </p>
      )}
      {delivery === null ? null : (
        <p>
          {t('delivery')}: <Code text={`${delivery.channel} · ${delivery.state}`} />
          {delivery.upload_due_at === undefined ? null : (
            <>
              {' · '}
              {t('uploadBy')} <Time at={delivery.upload_due_at} />
            </>
          )}
          {delivery.is_overdue === true ? <strong class="late"> {t('overdue')}</strong> : null}
        </p>
      )}
      <p class="hint">{t('keepSilent')}</p>
    </div>
  );
}
