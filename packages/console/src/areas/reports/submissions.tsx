/** What was filed: each package with its digests, and what the authority has said of it. */
import type { JSX } from 'preact';
import { change, send } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { Code, Data, Time } from '../../parts/data.tsx';
import { Who } from '../../parts/who.tsx';
import { saveAs } from '../../saveAs.ts';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import { type Outcome, pathOf, type Report, type Submission } from './types.ts';

export function Submissions({ of }: { readonly of: Report }): JSX.Element | null {
  const { t } = useI18n();
  const caller = useCaller();
  const { attempt, failure, isBusy } = useAttempt();
  if (of.submissions.length === 0) return null;
  /** The link is for this caller and five minutes: it is made for one look. */
  const take = (): void => {
    attempt(async () => {
      const { url } = await change<{ readonly url: string }>('POST', `${pathOf(of)}/package`);
      saveAs(await (await send(`/console/api${url}`)).blob(), `${of.report_code}.zip`);
      return '';
    });
  };
  return (
    <section aria-labelledby="submissions">
      <h2 id="submissions">{t('submissions')}</h2>
      {failure}
      {may(caller, 'fileReports') ? (
        <button disabled={isBusy} onClick={take} type="button">
          {t('takePackage')}
        </button>
      ) : null}
      {of.submissions.map((one) => (
        <One key={one.number} of={one} />
      ))}
    </section>
  );
}

function One({ of }: { readonly of: Submission }): JSX.Element {
  const { number, t } = useI18n();
  return (
    <div class="panel">
      <h3>
        <Code text={of.entity_reference} />
      </h3>
      <dl class="facts">
        <dt>{t('colSubmitted')}</dt>
        <dd>
          <Time at={of.submitted_at} /> · <Who actor={of.submitted_by} /> ·{' '}
          <Code text={of.channel} />
        </dd>
        <dt>{t('package')}</dt>
        <dd>
          <span dir="ltr">{number(of.package_bytes)} B</span> · <Code text={of.package_sha256} />
        </dd>
        <dt>XML</dt>
        <dd>
          <Code text={of.xml_sha256} />
        </dd>
        <dt>{t('answer')}</dt>
        <dd>{of.outcome === null ? t('noAnswer') : <Answer of={of.outcome} />}</dd>
      </dl>
    </div>
  );
}

function Answer({ of }: { readonly of: Outcome }): JSX.Element {
  const { t } = useI18n();
  const { receipt } = of;
  return (
    <>
      <span class={`tag ${of.kind === 'acknowledged' ? 'good' : 'bad'}`}>
        {t(`outcome_${of.kind}`)}
      </span>{' '}
      <Time at={of.at} /> · <Who actor={of.by} />
      {of.fiu_reference === null ? null : (
        <>
          {' · '}
          <Code text={of.fiu_reference} />
        </>
      )}
      {of.reasons.map((one) => (
        <p key={one.code}>
          <Code text={one.code} /> <Data text={one.detail} />
        </p>
      ))}
      {receipt === null ? null : (
        <p>
          <button
            class="link"
            onClick={() => saveAs(bytesOf(receipt.base64), receipt.file_name)}
            type="button"
          >
            {t('receipt')}: <Data text={receipt.file_name} />
          </button>
        </p>
      )}
    </>
  );
}

const bytesOf = (base64: string): Blob =>
  new Blob([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))]);
