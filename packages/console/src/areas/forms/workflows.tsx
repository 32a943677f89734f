/** Workflows of cases, the newest version of each, to be read by people. */
import type { JSX } from 'preact';
import { get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { Code, Time } from '../../parts/data.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Ready } from '../../parts/frame.tsx';
import { useI18n } from './i18n.ts';
import type { Workflow } from './types.ts';

export function Workflows(): JSX.Element {
  const { number, t } = useI18n();
  const list = useLoad('workflows', (signal) =>
    get<{ readonly data: readonly Workflow[] }>('/v1/kyc/workflows', {}, signal),
  );
  return (
    <Ready of={list}>
      {({ data }) =>
        data.length === 0 ? (
          <p>{t('nothingHere')}</p>
        ) : (
          data.map((one) => (
            <details class="panel" key={one.code}>
              <summary>
                <Code text={one.code} /> · {t('colVersion')} {number(one.version)}
              </summary>
              <Content of={one} />
            </details>
          ))
        )
      }
    </Ready>
  );
}

function Content({ of }: { readonly of: Workflow }): JSX.Element {
  const { list, number, plural, t } = useI18n();
  const codes = (words: readonly string[]): JSX.Element =>
    words.length === 0 ? <span>{t('none')}</span> : <Code text={words.join(', ')} />;
  const { enabled, max_tier: tier } = of.auto_approve;
  return (
    <Facts
      of={[
        [
          t('workflowSubjects'),
          list(
            of.subject_types.map((one) =>
              t(one === 'individual' ? 'workflowIndividual' : 'workflowBusiness'),
            ),
          ),
        ],
        [t('workflowForm'), of.form_code === undefined ? t('none') : codes([of.form_code])],
        [t('workflowChecks'), codes(of.checks)],
        [t('workflowFields'), codes(of.required_fields)],
        [t('workflowConsents'), codes(of.required_consents)],
        [
          t('workflowDocuments'),
          of.required_documents.length === 0
            ? t('none')
            : of.required_documents.map((group) => (
                <span class="one-of" key={group.join()}>
                  {codes(group)}
                </span>
              )),
        ],
        [t('workflowAuto'), enabled ? t('workflowAutoUpTo', { tier }) : t('no')],
        [t('workflowFourEyes'), codes(of.four_eyes_tiers)],
        [t('workflowExpires'), plural('daysOld', of.expires_after_days)],
        [t('workflowMinAge'), number(of.min_age)],
        [t('workflowRounds'), number(of.rounds_max)],
        [
          t('workflowReview'),
          codes(Object.entries(of.review_every_months).map(([name, every]) => `${name} ${every}`)),
        ],
        [t('writtenBy'), of.author === null ? t('none') : codes([of.author])],
        [t('colCreated'), <Time at={of.created_at} key="at" />],
      ]}
    />
  );
}
