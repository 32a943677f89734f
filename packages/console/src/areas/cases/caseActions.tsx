/** What a person does with a case, as far as their roles and its tier let them. */
import type { JSX } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { CommentDialog } from '../../parts/commentDialog.tsx';
import { Code, Time } from '../../parts/data.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Failure } from '../../parts/frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Who } from '../../parts/who.tsx';
import { may, useCaller } from '../../session.ts';
import { DecideCase } from './decideCase.tsx';
import { useI18n } from './i18n.ts';
import { AssigneesContext } from './people.ts';
import { CASES, type Case, type CaseDecision, etagOf } from './types.ts';

export interface ActionProps {
  readonly of: Case;
  readonly onChanged: () => void;
}

export function CaseActions({ of, onChanged }: ActionProps): JSX.Element {
  const caller = useCaller();
  return (
    <>
      {of.pending === null ? (
        <DecideCase of={of} onChanged={onChanged} />
      ) : (
        <SecondPerson of={of} onChanged={onChanged} pending={of.pending} />
      )}
      {may(caller, 'assignCases') ? <Assign of={of} onChanged={onChanged} /> : null}
    </>
  );
}

/** Another person confirms or declines; who proposed it may take it back. */
function SecondPerson({
  of,
  onChanged,
  pending,
}: ActionProps & { readonly pending: CaseDecision }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const toast = useToast();
  const [isDeclining, setDeclining] = useState(false);
  const { attempt, failure, isBusy } = useAttempt();
  const isOwn = pending.decided_by === caller.person.actor;
  const path = `${CASES}/${of.case_id}/decisions/${pending.decision_id}/confirm`;
  const answer = (body: object): Promise<unknown> =>
    change('POST', path, body, { 'If-Match': etagOf(of) });
  const confirm = (): void => {
    attempt(async () => {
      await answer({ confirm: true });
      onChanged();
      return t('decisionSent');
    });
  };
  return (
    <div class="panel">
      <h2>{t('pendingTitle')}</h2>
      <p>
        {t('proposedBy')} <Who actor={pending.decided_by} /> · <Time at={pending.decided_at} />
      </p>
      <p>
        {t('reasonCode')}: <Code text={pending.reason_code} />
      </p>
      {isOwn ? <p class="hint">{t('ownProposal')}</p> : null}
      {failure}
      {may(caller, 'confirmCases') ? (
        <div class="actions">
          {isOwn ? null : (
            <button class="primary" disabled={isBusy} onClick={confirm} type="button">
              {t('confirmIt')}
            </button>
          )}
          <button onClick={() => setDeclining(true)} type="button">
            {t(isOwn ? 'takeBack' : 'declineIt')}
          </button>
        </div>
      ) : null}
      {isDeclining ? (
        <CommentDialog
          label={t('reasonWords')}
          onClose={() => setDeclining(false)}
          onDone={() => {
            setDeclining(false);
            toast(t('declined'));
            onChanged();
          }}
          send={async (comment) => void (await answer({ comment, confirm: false }))}
          submit={t(isOwn ? 'takeBack' : 'declineIt')}
          title={t('declineTitle')}
        />
      ) : null}
    </div>
  );
}

function Assign({ of, onChanged }: ActionProps): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const [to, setTo] = useState('');
  const { attempt, failure, isBusy } = useAttempt();
  const persons = useContext(AssigneesContext);
  const { person_id: own } = caller.person;
  const give = (assignee: string): void => {
    attempt(async () => {
      const condition = { 'If-Match': etagOf(of) };
      await change('POST', `${CASES}/${of.case_id}/assign`, { assignee }, condition);
      onChanged();
      return t('givenTo');
    });
  };
  const isMine = of.assignee === caller.person.actor;
  const others = persons.data.filter(({ person_id }) => person_id !== own);
  return (
    <div class="panel">
      <h2>{t('giveTo')}</h2>
      {failure}
      {persons.error === undefined ? null : (
        <Failure error={persons.error} onAgain={persons.again} />
      )}
      <div class="actions">
        {isMine || own === null ? null : (
          <button disabled={isBusy} onClick={() => give(own)} type="button">
            {t('giveToMe')}
          </button>
        )}
      </div>
      {others.length === 0 ? null : (
        <form
          class="fields"
          onSubmit={(event) => {
            event.preventDefault();
            if (to !== '') give(to);
          }}
        >
          <Choice
            choices={[['', t('none')], ...others.map((one) => [one.person_id, one.name] as const)]}
            label={t('giveToOther')}
            onChange={setTo}
            value={to}
          />
          <div class="actions">
            <button disabled={isBusy || to === ''} type="submit">
              {t('apply')}
            </button>
          </div>
        </form>
      )}
    </div>
  );
}
