/**
 * One request about personal data: proof of identity, deadline, what an erasure would take and
 * leave, the second person who approves it, and the archive that the person is given.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change, get } from '../../http.ts';
import { useLoad, useRepeat } from '../../load.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { CommentDialog } from '../../parts/commentDialog.tsx';
import { Code, Data, Time } from '../../parts/data.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { Archive } from './archive.tsx';
import { type AreaKey, useI18n } from './i18n.ts';
import { Plan } from './plan.tsx';
import { Refuse } from './refuse.tsx';
import { subjectOf } from './requestList.tsx';
import type { PrivacyRequest } from './types.ts';
import { Deadline, daysLeft, usePrivacyWords } from './useWords.tsx';

const APPROVE: Readonly<Record<PrivacyRequest['action'], AreaKey>> = {
  erase: 'privacyApproveErase',
  export: 'privacyApproveExport',
  rectify: 'privacyApproveRectify',
};

export function RequestPage({ id }: { readonly id: string }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const request = useLoad(id, (signal) =>
    get<PrivacyRequest>(`/v1/privacy/dsar/${id}`, {}, signal),
  );
  useRepeat(request, request.data !== undefined && isPreparing(request.data));
  return (
    <PageFrame title={t('privacyRequest')}>
      <Ready of={request}>
        {(one) => (
          <>
            <Headline of={one} />
            {one.ended_at === null && may(caller, 'decidePrivacy') ? (
              <Deciding key={one.etag} of={one} onChanged={request.again} />
            ) : null}
            {one.plan === null ? null : <Plan of={one.plan} />}
            {one.archive !== null && one.status === 'completed' && may(caller, 'decidePrivacy') ? (
              <Archive of={one} onTold={request.again} />
            ) : null}
            <p>
              <a href={routeTo('privacy')}>{t('privacyTitle')}</a>
            </p>
          </>
        )}
      </Ready>
    </PageFrame>
  );
}

function Headline({ of }: { readonly of: PrivacyRequest }): JSX.Element {
  const { plural, t } = useI18n();
  const words = usePrivacyWords();
  const { identity } = of;
  const proof =
    identity.verified === null
      ? ''
      : ` · ${t(identity.verified ? 'privacyProven' : 'privacyUnproven')}`;
  return (
    <Facts
      of={[
        [t('privacySubject'), <Code key="who" text={subjectOf(of)} />],
        [t('privacyAction'), words.action(of.action)],
        [
          t('filterStatus'),
          <span class="tag" key="state">
            {words.state(of.status)}
          </span>,
        ],
        [
          t('privacyDue'),
          <>
            <Deadline of={of} />
            {of.ended_at === null ? ` · ${plural('daysOld', daysLeft(of, Date.now()))}` : null}
          </>,
        ],
        [
          t('privacyRequester'),
          t(of.requester.relation === 'self' ? 'relationSelf' : 'relationOther'),
        ],
        [t('privacyMethod'), words.method(identity.method) + proof],
        [t('privacyTakenBy'), <Code key="by" text={of.created_by} />],
        [t('privacyReceived'), <Time at={of.received_at} key="at" />],
        ...(of.note === null
          ? []
          : [[t('privacyNote'), <Data key="note" text={of.note} />] as const]),
        ...(of.decided_by === null
          ? []
          : [[t('privacyDecidedBy'), <Code key="decided" text={of.decided_by} />] as const]),
        ...(of.erasure === null
          ? []
          : [[t('privacyPseudonym'), <Code key="name" text={of.erasure.pseudonym} />] as const]),
        ...(of.refusal === null
          ? []
          : [
              [
                t('privacyGround'),
                <>
                  {words.ground(of.refusal.ground)}. <Data text={of.refusal.text} />
                </>,
              ] as const,
            ]),
      ]}
    />
  );
}

/** Erasures by their plan, copies by their archive, corrections once they are made. */
const isReady = ({ action, archive, status }: PrivacyRequest): boolean =>
  action === 'erase'
    ? status === 'awaiting_approval'
    : action === 'export'
      ? archive !== null
      : status === 'in_progress';

/** Workers make its plan, or its archive. */
const isPreparing = (of: PrivacyRequest): boolean =>
  of.ended_at === null && !['received', 'identity_check'].includes(of.status) && !isReady(of);

function Deciding({
  of,
  onChanged,
}: {
  readonly of: PrivacyRequest;
  readonly onChanged: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const { attempt, failure, isBusy } = useAttempt();
  const [isExtending, setExtending] = useState(false);
  const path = `/v1/privacy/dsar/${of.request_id}`;
  const isUnproven = ['received', 'identity_check'].includes(of.status);
  const post = (what: string, body?: object): Promise<unknown> =>
    change('POST', `${path}/${what}`, body, { 'If-Match': of.etag });
  const step = (what: string, body: object | undefined, done: AreaKey): void =>
    attempt(async () => {
      await post(what, body);
      onChanged();
      return t(done);
    });
  const prove = (verified: boolean): void => step('identity', { verified }, 'privacyIdentityNoted');
  return (
    <section aria-labelledby="deciding">
      <h2 id="deciding">{t('decision')}</h2>
      {of.status === 'awaiting_approval' ? <p class="notice">{t('privacySecond')}</p> : null}
      {isPreparing(of) ? <p class="notice">{t('privacyPreparing')}</p> : null}
      <div class="actions">
        {isUnproven ? (
          <>
            <button class="primary" disabled={isBusy} onClick={() => prove(true)} type="button">
              {t('privacyProve')}
            </button>
            <button disabled={isBusy} onClick={() => prove(false)} type="button">
              {t('privacyAskMore')}
            </button>
          </>
        ) : null}
        {!isUnproven && isReady(of) ? (
          <button
            class="primary"
            disabled={isBusy}
            onClick={() => step('approve', undefined, 'privacyApproved')}
            type="button"
          >
            {t(APPROVE[of.action])}
          </button>
        ) : null}
        {of.extended_to === null && !of.overdue ? (
          <button onClick={() => setExtending(true)} type="button">
            {t('privacyExtend')}
          </button>
        ) : null}
      </div>
      {failure}
      <Refuse onRefused={onChanged} send={(body) => post('refuse', body)} />
      {isExtending ? (
        <CommentDialog
          label={t('privacyExtendHint')}
          onClose={() => setExtending(false)}
          onDone={() => setExtending(false)}
          send={async (reason) => {
            await post('extend', { reason });
            onChanged();
          }}
          submit={t('privacyExtend')}
          title={t('privacyExtend')}
        />
      ) : null}
    </section>
  );
}
