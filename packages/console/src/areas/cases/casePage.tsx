/** One case: who it is about, what was checked, and what a person decides of it. */
import type { JSX } from 'preact';
import { get } from '../../http.ts';
import { type Loaded, useLoad } from '../../load.ts';
import { Code, Data, Time } from '../../parts/data.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { Who } from '../../parts/who.tsx';
import { Decision } from '../../parts/words.tsx';
import { routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { CaseActions } from './caseActions.tsx';
import { CaseDocuments } from './caseDocuments.tsx';
import { CaseHistory } from './caseHistory.tsx';
import { CaseSubject } from './caseSubject.tsx';
import { useI18n } from './i18n.ts';
import { CaseState, CheckTag, TierTag } from './tags.tsx';
import { CASES, type Case } from './types.ts';

const SCORE_MAX = 100;

export function CasePage({ id }: { readonly id: string }): JSX.Element {
  const { t } = useI18n();
  const found = useLoad(id, (signal) => get<Case>(`${CASES}/${id}`, {}, signal));
  return (
    <PageFrame title={t('caseTitle')}>
      <p class="ways">
        <a href={routeTo('cases')}>{t('backToCases')}</a>
      </p>
      <Ready of={found}>{(one) => <Detail of={one} reading={found} />}</Ready>
    </PageFrame>
  );
}

function Detail({
  of,
  reading,
}: {
  readonly of: Case;
  readonly reading: Loaded<Case>;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <Summary of={of} />
      <div class="triage">
        <div>
          <Waiting of={of} />
          <CaseSubject of={of} />
          <Checks of={of} />
          <CaseDocuments key={of.documents.length} of={of} onChanged={reading.again} />
          <Found of={of} />
          <Consents of={of} />
          <CaseHistory key={of.version} of={of} />
        </div>
        <aside aria-label={t('decision')}>
          <CaseActions key={of.version} of={of} onChanged={reading.again} />
        </aside>
      </div>
    </>
  );
}

function Summary({ of }: { readonly of: Case }): JSX.Element {
  const { t } = useI18n();
  return (
    <div class="panel">
      <p class="headline">
        <CaseState of={of.status} /> <TierTag of={of.risk_tier} />{' '}
        <span class="tag">{t(`type_${of.subject_type}`)}</span>{' '}
        <strong>
          <Data text={of.external_ref} />
        </strong>
      </p>
      <p>
        {t('colWorkflow')} <Code text={`${of.workflow_code} ${of.workflow_version}`} /> ·{' '}
        {t('colAssignee')}: {of.assignee === null ? t('none') : <Who actor={of.assignee} />}
        {of.status_reason === null ? null : (
          <>
            {' · '}
            {t('reason')}: <Code text={of.status_reason} />
          </>
        )}
      </p>
      {of.expires_at === null ? null : (
        <p>
          {t('expiresAt')}: <Time at={of.expires_at} />
        </p>
      )}
      {of.next_review_at === null ? null : (
        <p>
          {t('nextReview')}: <Time at={of.next_review_at} />
        </p>
      )}
      {of.proposed_decision === null || of.status !== 'manual_review' ? null : (
        <p>
          {t('proposes', {
            decision: t(of.proposed_decision === 'approve' ? 'say_approve' : 'say_reject'),
          })}
        </p>
      )}
      {of.superseded_by === null ? null : (
        <p class="notice">
          {t('supersededBy')}{' '}
          <a href={routeTo('cases', of.superseded_by)}>
            <Code text={of.superseded_by} />
          </a>
        </p>
      )}
      {of.opposed ? <p class="notice bad">{t('isOpposed')}</p> : null}
      {of.processing_restricted ? <p class="notice bad">{t('isRestricted')}</p> : null}
      {of.erased_at === null ? null : <p class="notice">{t('isErased')}</p>}
    </div>
  );
}

/** What a case waits for, in the words of the form that asks for it. */
function Waiting({ of }: { readonly of: Case }): JSX.Element | null {
  const { list, t } = useI18n();
  if (of.missing.length === 0) return null;
  const named = ({ kind, name }: Case['missing'][number]): string => {
    const words = name.split('|').map((one) => {
      if (kind === 'consent') return t(`consent_${one as 'marketing'}`);
      return kind === 'document' ? t(`kind_${one as 'other'}`) : fieldWords(t, one);
    });
    return words.length === 1 ? (words[0] ?? '') : list(words);
  };
  return (
    <section aria-labelledby="waits" class="notice">
      <h2 id="waits">{t('waitsFor')}</h2>
      <ul>
        {of.missing.map((one) => (
          <li key={`${one.kind}/${one.name}`}>
            {t(`missing_${one.kind}`)}: {named(one)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** `address.line1` is said by its first member. */
const fieldWords = (t: ReturnType<typeof useI18n>['t'], path: string): string =>
  t(`field_${path.split('.')[0] as 'dob'}`);

function Checks({ of }: { readonly of: Case }): JSX.Element {
  const { t } = useI18n();
  return (
    <section aria-labelledby="checks">
      <h2 id="checks">{t('checks')}</h2>
      {of.checks.length === 0 ? (
        <p>{t('noChecks')}</p>
      ) : (
        <Table
          caption={t('checks')}
          heads={[t('colCheck'), t('colResult'), t('colWhy'), t('colTime')]}
        >
          {of.checks.map((one) => (
            <tr key={one.check_id}>
              <th scope="row">{t(`check_${one.type}`)}</th>
              <td>
                <CheckTag of={one.status} />
              </td>
              <td>
                {one.reason_codes.map((code) => (
                  <span class="one-of" key={code}>
                    <Code text={code} />
                  </span>
                ))}
              </td>
              <td>
                <Time at={one.at} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function Found({ of }: { readonly of: Case }): JSX.Element {
  const { number, t } = useI18n();
  const caller = useCaller();
  const { risk, screening } = of;
  return (
    <section aria-labelledby="found">
      <h2 id="found">{t('screeningsOf')}</h2>
      <dl class="panel facts">
        <dt>{t('verdictOf')}</dt>
        <dd>
          {screening === null ? (
            <span class="muted">{t('notScreened')}</span>
          ) : (
            <>
              <Decision of={screening.decision} />{' '}
              {may(caller, 'evidence') ? (
                <a href={routeTo('screenings', screening.screening_id)}>{t('evidenceLink')}</a>
              ) : (
                <Code text={screening.screening_id} />
              )}
            </>
          )}
        </dd>
        <dt>{t('riskOf')}</dt>
        <dd>
          {risk === null ? (
            <span class="muted">{t('notRated')}</span>
          ) : (
            <>
              {t('riskScore', {
                level: risk.level,
                policy: risk.policy_version,
                score: number(risk.score, 1),
              })}{' '}
              <meter aria-label={t('riskOf')} max={SCORE_MAX} min={0} value={risk.score} />
            </>
          )}
        </dd>
      </dl>
    </section>
  );
}

function Consents({ of }: { readonly of: Case }): JSX.Element {
  const { t } = useI18n();
  return (
    <section aria-labelledby="consents">
      <h2 id="consents">{t('consents')}</h2>
      {of.consents.length === 0 ? (
        <p>{t('noConsents')}</p>
      ) : (
        <ul class="plain">
          {of.consents.map((one) => (
            <li key={one.consent_id}>
              {t(`consent_${one.purpose}`)}: {t(one.given ? 'consentGiven' : 'consentWithdrawn')} ·{' '}
              <Time at={one.given_at} /> · <Code text={one.text_version} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
