/**
 * One risk policy: what it says, what it would have changed, and its way into force. A draft is
 * tried in shadow and on the past, then submitted; two persons sign under “Approvals”.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change, get } from '../../http.ts';
import { type Loaded, useLoad } from '../../load.ts';
import { AskPublication } from '../../parts/askPublication.tsx';
import { useAttempt } from '../../parts/attempt.tsx';
import { Changes, changesBetween } from '../../parts/changes.tsx';
import { CommentDialog } from '../../parts/commentDialog.tsx';
import { Code, Data, Time } from '../../parts/data.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { go, routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { BacktestReport } from './backtest.tsx';
import { PolicyContent } from './content.tsx';
import { EditDraft } from './editDraft.tsx';
import { useI18n } from './i18n.ts';
import { ShadowFigures } from './shadow.tsx';
import type { RiskPolicy } from './types.ts';
import { useRiskWords } from './useWords.ts';

export function PolicyPage({
  btrId,
  id,
}: {
  /** A backtest that was asked for just now. */
  readonly btrId: string | undefined;
  readonly id: string;
}): JSX.Element {
  const { t } = useI18n();
  const policy = useLoad(id, (signal) => get<RiskPolicy>(`/v1/risk/policies/${id}`, {}, signal));
  return (
    <PageFrame title={t('riskPolicyTitle')}>
      <Ready of={policy}>
        {(one) => (
          <>
            <Headline of={one} />
            <Stages of={one} onChanged={policy.again} />
            <Findings of={one} />
            <Tried btrId={btrId} of={one} policy={policy} />
            <PolicyContent of={one.content} />
            <Against of={one} />
          </>
        )}
      </Ready>
    </PageFrame>
  );
}

function Headline({ of }: { readonly of: RiskPolicy }): JSX.Element {
  const { number, t } = useI18n();
  const words = useRiskWords();
  return (
    <>
      <p class="headline">
        <strong>
          <Data text={of.name} />
        </strong>
        <span class="tag">{words.state(of.status)}</span>
        {of.in_force ? <span class="tag good">{t('inForce')}</span> : null}
      </p>
      <Facts
        of={[
          [t('colVersion'), of.version === null ? '–' : number(of.version)],
          [t('effectiveAt'), <Time at={of.effective_at} key="at" />],
          [t('writtenBy'), <Code key="author" text={of.author} />],
          ['SHA-256', <Code key="hash" text={of.content_hash} />],
          ...(of.justification === null
            ? []
            : [[t('justification'), <Data key="why" text={of.justification} />] as const]),
        ]}
      />
    </>
  );
}

/** What the person may do next with it. */
function Stages({
  of,
  onChanged,
}: {
  readonly of: RiskPolicy;
  readonly onChanged: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const { attempt, failure, isBusy } = useAttempt();
  const path = `/v1/risk/policies/${of.policy_id}`;
  const mayDraft = may(caller, 'draftRisk');
  const isDraft = ['draft', 'REJECTED'].includes(of.status);
  const isTried = isDraft || of.status === 'shadow';
  const step = (name: string, done: string): void =>
    attempt(async () => {
      await change('POST', `${path}/${name}`, undefined, { 'If-Match': of.etag });
      onChanged();
      return done;
    });
  const backtest = (): void =>
    attempt(async () => {
      const { btrId } = await change<{ btrId: string }>('POST', `${path}/backtest`, {});
      go(routeTo('risk', of.policy_id, { backtest: btrId }));
      return '';
    });
  return (
    <>
      {mayDraft ? (
        <div class="actions">
          {of.status === 'draft' ? (
            <button
              disabled={isBusy}
              onClick={() => step('shadow-activate', t('shadowStarted'))}
              type="button"
            >
              {t('shadowStart')}
            </button>
          ) : null}
          {of.status === 'shadow' ? (
            <button
              disabled={isBusy}
              onClick={() => step('shadow-deactivate', t('shadowEnded'))}
              type="button"
            >
              {t('shadowEnd')}
            </button>
          ) : null}
          {isTried ? (
            <button disabled={isBusy} onClick={backtest} type="button">
              {t('backtestRun')}
            </button>
          ) : null}
          {isTried ? <Submit of={of} onDone={onChanged} /> : null}
          {of.status === 'PENDING_APPROVAL' ? (
            <button
              disabled={isBusy}
              onClick={() => step('withdraw', t('withdrawn'))}
              type="button"
            >
              {t('withdraw')}
            </button>
          ) : null}
        </div>
      ) : null}
      {failure}
      {of.signing === null ? null : <AskPublication canAsk={mayDraft} of={of.signing} />}
      {of.signing === null && of.approvals.length === 0 ? null : <Signatures of={of} />}
      {mayDraft && isDraft ? <EditDraft key={of.etag} of={of} onSaved={onChanged} /> : null}
    </>
  );
}

function Submit({
  of,
  onDone,
}: {
  readonly of: RiskPolicy;
  readonly onDone: () => void;
}): JSX.Element | null {
  const { t } = useI18n();
  const toast = useToast();
  const [isOpen, setOpen] = useState(false);
  const backtestReportId = of.reports.backtest?.report_id;
  const shadowReportId = of.shadow_report_id ?? of.reports.shadow?.report_id;
  if (backtestReportId === undefined || shadowReportId === undefined) return null;
  const send = async (justification: string): Promise<void> => {
    const body = { backtestReportId, justification, shadowReportId };
    const path = `/v1/risk/policies/${of.policy_id}/submit-for-approval`;
    await change('POST', path, body, { 'If-Match': of.etag });
    toast(t('submitDone'));
    onDone();
  };
  return (
    <>
      <button class="primary" onClick={() => setOpen(true)} type="button">
        {t('submitTitle')}
      </button>
      {isOpen ? (
        <CommentDialog
          label={t('submitHint')}
          onClose={() => setOpen(false)}
          onDone={() => setOpen(false)}
          send={send}
          submit={t('submitTitle')}
          title={t('submitTitle')}
        />
      ) : null}
    </>
  );
}

function Signatures({ of }: { readonly of: RiskPolicy }): JSX.Element {
  const { t } = useI18n();
  return (
    <section aria-labelledby="signatures">
      <h2 id="signatures">{t('signatures')}</h2>
      {of.approvals.length === 0 ? (
        <p>{t('noSignatures')}</p>
      ) : (
        <Table
          caption={t('signatures')}
          heads={[t('signedBy'), t('signatureRole'), t('colTime'), t('comments')]}
        >
          {of.approvals.map((one) => (
            <tr key={one.key_id}>
              <th scope="row">
                <Code text={one.person_id} />
              </th>
              <td>
                <Code text={one.role} />
              </td>
              <td>
                <Time at={one.at} />
              </td>
              <td>
                <Data text={one.comment} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function Findings({ of }: { readonly of: RiskPolicy }): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      {(['violations', 'warnings'] as const).map((kind) =>
        of[kind].length === 0 ? null : (
          <div class={kind === 'violations' ? 'notice bad' : 'notice'} key={kind}>
            <strong>{t(kind)}</strong>
            <ul>
              {of[kind].map((one) => (
                <li key={one.pointer + one.code}>
                  <Code text={one.pointer} /> <Data text={one.detail} />
                </li>
              ))}
            </ul>
          </div>
        ),
      )}
    </>
  );
}

/** Shadow and backtest, as far as there are any. */
function Tried({
  btrId,
  of,
  policy,
}: {
  readonly btrId: string | undefined;
  readonly of: RiskPolicy;
  readonly policy: Loaded<RiskPolicy>;
}): JSX.Element {
  const { t } = useI18n();
  const shown = btrId ?? of.reports.backtest?.report_id;
  const hasShadow = of.status === 'shadow' || of.reports.shadow !== null;
  return (
    <>
      {hasShadow ? <ShadowFigures key={of.status} of={of} /> : null}
      {shown === undefined ? null : (
        <section aria-labelledby="backtest">
          <h2 id="backtest">{t('backtestTitle')}</h2>
          <BacktestReport btrId={shown} onEnd={policy.again} policyId={of.policy_id} />
        </section>
      )}
    </>
  );
}

/** What it changes of the policy by which clients are evaluated now. */
function Against({ of }: { readonly of: RiskPolicy }): JSX.Element | null {
  const { t } = useI18n();
  const current = useLoad('in-force', async (signal) =>
    of.in_force ? of : await get<RiskPolicy>('/v1/risk/policies/in-force', {}, signal),
  );
  if (of.in_force) return null;
  return (
    <section aria-labelledby="against">
      <h2 id="against">{t('againstInForce')}</h2>
      <Ready of={current}>
        {(base) => (
          <Changes caption={t('againstInForce')} of={changesBetween(base.content, of.content)} />
        )}
      </Ready>
    </section>
  );
}
