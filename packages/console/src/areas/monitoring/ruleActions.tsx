/** What becomes of a version: edited, tried in shadow, signed by two persons, or discarded. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { Code, CodeBlock } from '../../parts/data.tsx';
import { Failure } from '../../parts/frame.tsx';
import { SignButtons } from '../../parts/signButtons.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Problem } from '../../problem.ts';
import { routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { signedBytes } from '../../signedBytes.ts';
import { signText } from '../../signingKey.ts';
import { useI18n } from './i18n.ts';
import { isOpen, type RuleVersion, versionPath } from './types.ts';

const PRECONDITION_FAILED = 412;

interface ActionProps {
  readonly of: RuleVersion;
  readonly onChanged: () => void;
}

export function RuleActions({
  all,
  of,
  onChanged,
}: ActionProps & { readonly all: readonly RuleVersion[] }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const toast = useToast();
  const [error, setError] = useState<unknown>();
  const attempt = async (work: () => Promise<unknown>, done: string): Promise<void> => {
    setError(undefined);
    try {
      await work();
      toast(done);
      onChanged();
    } catch (failure) {
      setError(failure);
      // Somebody, or a backtest, has changed it meanwhile: what it is now is shown.
      if (failure instanceof Problem && failure.status === PRECONDITION_FAILED) {
        toast(t('changedMeanwhile'));
        onChanged();
      }
    }
  };
  const condition = { 'If-Match': of.etag };
  const open = all.find((one) => isOpen(one) && !one.of_pack);
  return (
    <>
      {error === undefined ? null : <Failure error={error} />}
      {may(caller, 'changeRules') ? (
        <div class="panel actions">
          {isOpen(of) && !of.of_pack ? (
            <>
              <a href={routeTo('rules', of.rule_id, { edit: 'this', version: `${of.version}` })}>
                {t('editRule')}
              </a>
              {of.status === 'shadow' || of.status === 'PENDING_APPROVAL' ? null : (
                <button
                  onClick={() =>
                    void attempt(
                      () => change('POST', `${versionPath(of)}/shadow`, undefined, condition),
                      t('inShadow'),
                    )
                  }
                  type="button"
                >
                  {t('toShadow')}
                </button>
              )}
              <button
                onClick={() =>
                  void attempt(
                    () => change('DELETE', versionPath(of), undefined, condition),
                    t('discarded'),
                  )
                }
                type="button"
              >
                {t('discard')}
              </button>
            </>
          ) : null}
          {open === undefined ? (
            <a href={routeTo('rules', of.rule_id, { edit: 'next', version: `${of.version}` })}>
              {t('nextVersion')}
            </a>
          ) : null}
        </div>
      ) : null}
      {of.signing !== null && !of.of_pack && may(caller, 'publishRules') ? (
        <Signing attempt={attempt} of={of} />
      ) : null}
    </>
  );
}

const TIMESTAMP = 'YYYY-MM-DDThh:mm:ss.sssZ';

/**
 * The signature of this person. Behind the first one the last editor asks for the second, so that
 * it waits among the approvals of whoever may give it.
 */
function Signing({
  attempt,
  of,
}: {
  readonly attempt: (work: () => Promise<unknown>, done: string) => Promise<void>;
  readonly of: RuleVersion;
}): JSX.Element | null {
  const { t } = useI18n();
  const caller = useCaller();
  const approver = caller.person.person_id ?? '';
  const { signing } = of;
  if (signing === null) return null;
  const isUntested = of.status === 'draft';
  const hasSigned = of.signatures.some(({ signer }) => signer === approver);
  const sign = async (keyOf: () => Promise<CryptoKey>): Promise<void> => {
    const timestamp = new Date().toISOString();
    const text = signedBytes(signing, { approver, timestamp });
    const signature = await signText(await keyOf(), text);
    const condition = { 'If-Match': of.etag };
    const signed = await change<RuleVersion>(
      'POST',
      `${versionPath(of)}/publish`,
      { signature, timestamp },
      condition,
    );
    if (signed.status !== 'PENDING_APPROVAL' || signing.author !== approver) return;
    const { field, new_value, resource } = signing;
    const reason = of.justification.slice(0, REASON_CHARS_MAX);
    await change('POST', '/v1/approvals', { field, new_value, reason, resource });
  };
  return (
    <div class="panel">
      <h2>{t('publish')}</h2>
      <p class="hint">{t(isUntested ? 'untested' : 'publishHint')}</p>
      {hasSigned ? (
        <p>{t('youSigned')}</p>
      ) : isUntested ? null : (
        <>
          <details>
            <summary>{t('exactBytes')}</summary>
            <CodeBlock
              label={t('exactBytes')}
              text={signedBytes(signing, { approver, timestamp: TIMESTAMP })}
            />
          </details>
          <div class="actions">
            <SignButtons onKey={(keyOf) => void attempt(() => sign(keyOf), t('signatureGiven'))} />
          </div>
        </>
      )}
      <p>
        SHA-256 <Code text={of.content_hash} />
      </p>
    </div>
  );
}

const REASON_CHARS_MAX = 500;
