/**
 * One change that waits for a signature: before and after side by side, and the exact bytes. They
 * are signed in this browser; the server checks the signature and makes the change in one step.
 */
import type { JSX } from 'preact';
import { change, get } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import { useAttempt } from '../parts/attempt.tsx';
import { Code, Data, Json, Time } from '../parts/data.tsx';
import { PageFrame, Ready } from '../parts/frame.tsx';
import { SignButtons } from '../parts/signButtons.tsx';
import { useWords } from '../parts/words.tsx';
import { signText } from '../signingKey.ts';
import type { ApprovalDetail, Signing } from '../types.ts';

export function ApprovalPage({ id }: { readonly id: string }): JSX.Element {
  const { t } = useI18n();
  const words = useWords();
  const approval = useLoad(id, (signal) => get<ApprovalDetail>(`/v1/approvals/${id}`, {}, signal));
  return (
    <PageFrame title={t('approvalTitle')}>
      <Ready of={approval}>
        {(one) => (
          <>
            <p>
              <Code text={`${one.resource} · ${one.field}`} /> · {words.state(one.state)} ·{' '}
              <Time at={one.requested_at} />
            </p>
            <p>
              {t('author')} <Code text={one.author} />: <Data text={one.reason} />
            </p>
            {one.stale && one.state === 'open' ? <p class="notice bad">{t('isStale')}</p> : null}
            <div class="pair">
              <section>
                <h2>{t('oldValue')}</h2>
                <Json label={t('oldValue')} value={one.old_value} />
              </section>
              <section>
                <h2>{t('newValue')}</h2>
                <Json label={t('newValue')} value={one.new_value} />
              </section>
            </div>
            {one.state === 'open' ? <Deciding of={one} onChanged={approval.again} /> : null}
          </>
        )}
      </Ready>
    </PageFrame>
  );
}

const bytesOf = (signing: Signing, timestamp: string): string =>
  signing.prefix + signing.before_timestamp + timestamp + signing.after_timestamp;

function Deciding({
  of,
  onChanged,
}: {
  readonly of: ApprovalDetail;
  readonly onChanged: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const { attempt, failure, isBusy } = useAttempt();
  const path = `/v1/approvals/${of.approval_id}`;
  const { signing } = of;
  if (signing === null) return <p class="notice">{t('mayNotSign')}</p>;
  const signWith = (keyOf: () => Promise<CryptoKey>): void =>
    attempt(async () => {
      const timestamp = new Date().toISOString();
      const signature = await signText(await keyOf(), bytesOf(signing, timestamp));
      await change('POST', `${path}/sign`, { signature, timestamp });
      onChanged();
      return t('signed');
    });
  const reject = (): void =>
    attempt(async () => {
      await change('POST', `${path}/reject`, {});
      onChanged();
      return t('rejected');
    });
  return (
    <div class="panel">
      <details>
        <summary>{t('exactBytes')}</summary>
        <Json label={t('exactBytes')} value={bytesOf(signing, 'YYYY-MM-DDThh:mm:ss.sssZ')} />
      </details>
      {failure}
      <div class="actions">
        <SignButtons isDisabled={isBusy} onKey={signWith} />
        <button disabled={isBusy} onClick={reject} type="button">
          {t('reject')}
        </button>
      </div>
    </div>
  );
}
