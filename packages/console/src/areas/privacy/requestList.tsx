/** Requests about personal data, with how long there is to answer them. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { Code, Time } from '../../parts/data.tsx';
import { Example } from '../../parts/example.tsx';
import { Choice, TextField } from '../../parts/fields.tsx';
import { PageFrame } from '../../parts/frame.tsx';
import { useMore } from '../../parts/more.tsx';
import { Table } from '../../parts/table.tsx';
import { routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { privacyExample } from './example.ts';
import { useI18n } from './i18n.ts';
import type { PrivacyRequest } from './types.ts';
import { Deadline, daysLeft, METHODS, REQUEST_STATES, usePrivacyWords } from './useWords.tsx';

const PATH = '/v1/privacy/dsar';
const ACTIONS = ['export', 'erase', 'rectify'];

export function RequestList(): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const words = usePrivacyWords();
  const [status, setStatus] = useState('');
  const list = useMore<PrivacyRequest>(PATH, { status });
  return (
    <PageFrame title={t('privacyTitle')}>
      <form aria-label={t('filters')} class="filters">
        <Choice
          choices={[
            ['', t('all')],
            ...Object.keys(REQUEST_STATES).map((one) => [one, words.state(one)] as const),
          ]}
          label={t('filterStatus')}
          onChange={setStatus}
          value={status}
        />
      </form>
      {may(caller, 'askPrivacy') ? (
        <div class="actions">
          {may(caller, 'decidePrivacy') ? (
            <Example
              done={t('privacyExampleDone')}
              label={t('privacyExample')}
              onDone={list.again}
              steps={privacyExample}
            />
          ) : null}
        </div>
      ) : null}
      {list.shown((rows) => (
        <Rows of={rows} />
      ))}
      {may(caller, 'askPrivacy') ? <NewRequest onTaken={list.again} /> : null}
    </PageFrame>
  );
}

function Rows({ of }: { readonly of: readonly PrivacyRequest[] }): JSX.Element {
  const { plural, t } = useI18n();
  const words = usePrivacyWords();
  const now = Date.now();
  return (
    <Table
      caption={t('privacyTitle')}
      heads={[
        t('privacySubject'),
        t('privacyAction'),
        t('filterStatus'),
        t('privacyDue'),
        t('privacyLeft'),
        t('privacyReceived'),
      ]}
    >
      {of.map((one) => (
        <tr key={one.request_id}>
          <th scope="row">
            <a href={routeTo('privacy', one.request_id)}>
              <Code text={subjectOf(one)} />
            </a>
          </th>
          <td>{words.action(one.action)}</td>
          <td>
            <span class="tag">{words.state(one.status)}</span>
          </td>
          <td>
            <Deadline of={one} />
          </td>
          <td>{one.ended_at === null ? plural('daysOld', daysLeft(one, now)) : '–'}</td>
          <td>
            <Time at={one.received_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** As it is known; a person who was erased is known by a pseudonym. */
export const subjectOf = ({ erasure, request_id, subject }: PrivacyRequest): string =>
  subject.external_ref ?? subject.subject_id ?? subject.case_id ?? erasure?.pseudonym ?? request_id;

function NewRequest({ onTaken }: { readonly onTaken: () => void }): JSX.Element {
  const { t } = useI18n();
  const words = usePrivacyWords();
  const { attempt, failure, isBusy } = useAttempt();
  const [given, setGiven] = useState({
    action: 'export',
    method: 'in_person',
    note: '',
    ref: '',
    relation: 'self',
  });
  const set = (part: Partial<typeof given>): void => setGiven({ ...given, ...part });
  const take = (event: Event): void => {
    event.preventDefault();
    attempt(async () => {
      await change('POST', PATH, {
        action: given.action,
        identity: { method: given.method },
        requester: { relation: given.relation },
        subject: { external_ref: given.ref },
        ...(given.note !== '' && { note: given.note }),
      });
      set({ note: '', ref: '' });
      onTaken();
      return t('privacyTaken');
    });
  };
  return (
    <details>
      <summary>{t('privacyNew')}</summary>
      <form class="fields panel" onSubmit={take}>
        <Choice
          choices={ACTIONS.map((one) => [one, words.action(one)] as const)}
          label={t('privacyAction')}
          onChange={(action) => set({ action })}
          value={given.action}
        />
        <TextField
          isRequired
          label={t('privacyRef')}
          onInput={(ref) => set({ ref })}
          value={given.ref}
        />
        <Choice
          choices={[
            ['self', t('relationSelf')],
            ['representative', t('relationOther')],
          ]}
          label={t('privacyRequester')}
          onChange={(relation) => set({ relation })}
          value={given.relation}
        />
        <Choice
          choices={Object.keys(METHODS).map((one) => [one, words.method(one)] as const)}
          label={t('privacyMethod')}
          onChange={(method) => set({ method })}
          value={given.method}
        />
        <TextField
          isLong
          label={t('privacyNote')}
          onInput={(note) => set({ note })}
          value={given.note}
        />
        {failure}
        <div class="actions">
          <button class="primary" disabled={isBusy} type="submit">
            {t('privacyNew')}
          </button>
        </div>
      </form>
    </details>
  );
}
