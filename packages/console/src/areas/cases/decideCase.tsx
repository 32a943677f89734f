/** A decision: a word, a reason by its code and in words, and what goes with it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change, get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { Choice, TextField } from '../../parts/fields.tsx';
import { Failure } from '../../parts/frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { DECIDES_TIER, REOPENS } from '../../roles.ts';
import { may, useCaller } from '../../session.ts';
import type { ActionProps } from './caseActions.tsx';
import { useI18n } from './i18n.ts';
import {
  CASES,
  type Case,
  type DecisionWord,
  type DocumentKind,
  etagOf,
  KINDS,
  type Workflow,
} from './types.ts';

/** What may be said of a case in a state. */
const SAID: Readonly<Partial<Record<Case['status'], readonly DecisionWord[]>>> = {
  approved: ['reopen'],
  awaiting_customer: ['cancel'],
  expired: ['reopen'],
  manual_review: ['approve', 'reject', 'request_documents', 'cancel'],
  open: ['cancel'],
  processing: ['cancel'],
  rejected: ['reopen'],
};
const REASONS = {
  approve: ['complete', 'hit_cleared', 'risk_accepted'],
  cancel: ['customer_withdrew', 'opened_in_error'],
  reject: [
    'document_forged',
    'identity_doubtful',
    'listed_party',
    'risk_too_high',
    'information_refused',
  ],
  reopen: ['new_information', 'periodic_review', 'decided_in_error'],
  request_documents: ['document_unreadable', 'document_expired', 'document_missing', 'address_old'],
} as const satisfies Readonly<Record<DecisionWord, readonly string[]>>;

export function DecideCase({ of, onChanged }: ActionProps): JSX.Element | null {
  const { list, t } = useI18n();
  const caller = useCaller();
  const said = of.superseded_by === null ? (SAID[of.status] ?? []) : [];
  if (said.length === 0 || !may(caller, 'decideCases')) return null;
  const has = (roles: readonly string[]): boolean =>
    caller.person.roles.some((role) => roles.includes(role));
  const deciders = DECIDES_TIER[of.risk_tier ?? 'standard'];
  const own = said.filter((word) =>
    word === 'cancel' ? true : has(word === 'reopen' ? REOPENS : deciders),
  );
  if (own.length === 0) {
    return <p class="notice">{t('tierNotYours', { roles: list([...deciders]) })}</p>;
  }
  return <DecisionForm of={of} onChanged={onChanged} said={own} />;
}

function DecisionForm({
  of,
  onChanged,
  said,
}: ActionProps & { readonly said: readonly DecisionWord[] }): JSX.Element {
  const { t } = useI18n();
  const toast = useToast();
  const [decision, setDecision] = useState<DecisionWord>();
  const [code, setCode] = useState('');
  const [reason, setReason] = useState('');
  const [mail, setMail] = useState('');
  const [kinds, setKinds] = useState<readonly DocumentKind[]>([]);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isAsking = decision === 'request_documents';
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const answer = await change<{ readonly pending_confirmation?: boolean }>(
        'POST',
        `${CASES}/${of.case_id}/decisions`,
        {
          decision,
          reason,
          reason_code: code,
          ...(isAsking && { documents: kinds }),
          ...(mail !== '' && { email_template: mail }),
        },
        { 'If-Match': etagOf(of) },
      );
      toast(t(answer.pending_confirmation === true ? 'decisionWaits' : 'decisionSent'));
      onChanged();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const choose = (word: DecisionWord): void => {
    setDecision(word);
    setCode('');
    setMail(word === 'reject' ? 'rejected' : '');
  };
  return (
    <form class="panel fields" onSubmit={submit}>
      <h2>{t('decideCase')}</h2>
      <fieldset>
        <legend class="unseen">{t('decision')}</legend>
        {said.map((word) => (
          <label class="choice" key={word}>
            <input
              checked={decision === word}
              name="decision"
              onChange={() => choose(word)}
              required
              type="radio"
              value={word}
            />
            {t(`say_${word}`)}
          </label>
        ))}
      </fieldset>
      {decision === undefined ? null : (
        <>
          {decision === 'approve' ? <p class="hint">{t('twoDecide')}</p> : null}
          <Choice
            choices={[
              ['', t('chooseReason')],
              ...REASONS[decision].map((one) => [one, t(`because_${one}`)] as const),
            ]}
            label={t('reasonCode')}
            onChange={setCode}
            value={code}
          />
          <TextField
            hint={t('reasonWordsHint')}
            isLong
            isRequired
            label={t('reasonWords')}
            onInput={setReason}
            value={reason}
          />
          {isAsking ? <Wanted kinds={kinds} onChange={setKinds} /> : null}
          {['approve', 'reject', 'request_documents'].includes(decision) ? (
            <Mail decision={decision} of={of} onChange={setMail} value={mail} />
          ) : null}
        </>
      )}
      {error === undefined ? null : <Failure error={error} />}
      <div class="actions">
        <button
          class="primary"
          disabled={isBusy || code === '' || (isAsking && kinds.length === 0)}
          type="submit"
        >
          {t('decide')}
        </button>
      </div>
    </form>
  );
}

function Wanted({
  kinds,
  onChange,
}: {
  readonly kinds: readonly DocumentKind[];
  readonly onChange: (kinds: readonly DocumentKind[]) => void;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <fieldset>
      <legend>{t('askFor')}</legend>
      {KINDS.map((one) => (
        <label class="choice" key={one}>
          <input
            checked={kinds.includes(one)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked
                  ? [...kinds, one]
                  : kinds.filter((kind) => kind !== one),
              )
            }
            type="checkbox"
          />
          {t(`kind_${one}`)}
        </label>
      ))}
    </fieldset>
  );
}

/** The mails of the workflow, by their names; a rejection has one in any case. */
function Mail({
  decision,
  of,
  onChange,
  value,
}: {
  readonly decision: DecisionWord;
  readonly of: Case;
  readonly onChange: (name: string) => void;
  readonly value: string;
}): JSX.Element {
  const { t } = useI18n();
  const workflows = useLoad(
    'workflows',
    async (signal) =>
      (await get<{ readonly data: readonly Workflow[] }>('/v1/kyc/workflows', {}, signal)).data,
  );
  if (workflows.error !== undefined) return <Failure error={workflows.error} />;
  const found = workflows.data?.find(({ code }) => code === of.workflow_code);
  const names = Object.keys(found?.email_templates ?? {});
  const isNeeded = decision === 'reject';
  return (
    <Choice
      choices={[
        ...(isNeeded ? [] : [['', t('noMail')] as const]),
        ...names.map((name) => [name, name] as const),
      ]}
      label={t('mailTemplate')}
      onChange={onChange}
      value={value}
    />
  );
}
