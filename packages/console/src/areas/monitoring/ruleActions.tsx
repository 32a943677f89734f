/** What becomes of a version: edited, tried in shadow, signed by two persons, or discarded. */
import type { JSX } from 'preact';
import { change } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { Code } from '../../parts/data.tsx';
import { SignPublication } from '../../parts/signPublication.tsx';
import { routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import { isOpen, type RuleVersion, versionPath } from './types.ts';

interface ActionProps {
  readonly of: RuleVersion;
  readonly onChanged: () => void;
}

export function RuleActions({
  all,
  of,
  onChanged,
}: ActionProps & { readonly all: readonly RuleVersion[] }): JSX.Element {
  const caller = useCaller();
  return (
    <>
      {may(caller, 'changeRules') ? <Draft all={all} of={of} onChanged={onChanged} /> : null}
      {of.signing !== null && !of.of_pack && may(caller, 'publishRules') ? (
        <Publish of={of} onChanged={onChanged} />
      ) : null}
    </>
  );
}

function Draft({
  all,
  of,
  onChanged,
}: ActionProps & { readonly all: readonly RuleVersion[] }): JSX.Element {
  const { t } = useI18n();
  // Somebody, or a backtest, may have changed it meanwhile.
  const { attempt, failure, isBusy } = useAttempt(onChanged);
  const send = (method: 'DELETE' | 'POST', path: string, done: string): void =>
    attempt(async () => {
      await change(method, path, undefined, { 'If-Match': of.etag });
      onChanged();
      return done;
    });
  const open = all.find((one) => isOpen(one) && !one.of_pack);
  return (
    <>
      {failure}
      <div class="panel actions">
        {isOpen(of) && !of.of_pack ? (
          <>
            <a href={routeTo('rules', of.rule_id, { edit: 'this', version: `${of.version}` })}>
              {t('editRule')}
            </a>
            {of.status === 'shadow' || of.status === 'PENDING_APPROVAL' ? null : (
              <button
                disabled={isBusy}
                onClick={() => send('POST', `${versionPath(of)}/shadow`, t('inShadow'))}
                type="button"
              >
                {t('toShadow')}
              </button>
            )}
            <button
              disabled={isBusy}
              onClick={() => send('DELETE', versionPath(of), t('discarded'))}
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
    </>
  );
}

/** The signatures of two persons, once the version was tried. */
function Publish({ of, onChanged }: ActionProps): JSX.Element | null {
  const { t } = useI18n();
  const approver = useCaller().person.person_id;
  const { signing } = of;
  if (signing === null) return null;
  const isUntested = of.status === 'draft';
  return (
    <div class="panel">
      <h2>{t('publish')}</h2>
      <p class="hint">{t(isUntested ? 'untested' : 'publishHint')}</p>
      {isUntested ? null : (
        <SignPublication
          maySign
          of={{
            etag: of.etag,
            isSigned: of.signed_until !== null,
            isSignedByMe: of.signatures.some(({ signer }) => signer === approver),
            path: `${versionPath(of)}/publish`,
            signing,
          }}
          onChanged={onChanged}
        />
      )}
      <p>
        SHA-256 <Code text={of.content_hash} />
      </p>
    </div>
  );
}
