/**
 * The first signature of a publication, and behind it the request for the second, which waits among
 * the approvals of whoever may give it. The editor alone can ask.
 */
import type { JSX } from 'preact';
import { change } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useCaller } from '../session.ts';
import { type SigningMembers, signedBytes } from '../signedBytes.ts';
import { signText } from '../signingKey.ts';
import { AskPublication } from './askPublication.tsx';
import { useAttempt } from './attempt.tsx';
import { CodeBlock } from './data.tsx';
import { SignButtons } from './signButtons.tsx';

const TIMESTAMP = 'YYYY-MM-DDThh:mm:ss.sssZ';

/** What is published, and how. */
export interface Publication {
  readonly etag: string;
  /** The operation that takes a signature. */
  readonly path: string;
  readonly signing: SigningMembers;
  /** Somebody has. */
  readonly isSigned: boolean;
  /** This person has, as far as the API says. */
  readonly isSignedByMe: boolean;
}

export function SignPublication({
  maySign,
  of: { etag, isSigned, isSignedByMe, path, signing },
  onChanged,
}: {
  readonly maySign: boolean;
  readonly of: Publication;
  /** Somebody has signed it, or changed it meanwhile. */
  readonly onChanged: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const approver = useCaller().person.person_id ?? '';
  const { attempt, failure, isBusy } = useAttempt(onChanged);
  const sign = (keyOf: () => Promise<CryptoKey>): void =>
    attempt(async () => {
      const timestamp = new Date().toISOString();
      const signature = await signText(
        await keyOf(),
        signedBytes(signing, { approver, timestamp }),
      );
      await change('POST', path, { signature, timestamp }, { 'If-Match': etag });
      onChanged();
      return t('signatureGiven');
    });
  return (
    <>
      {isSigned ? <AskPublication canAsk={signing.author === approver} of={signing} /> : null}
      {isSignedByMe ? <p>{t('youSigned')}</p> : null}
      {maySign && !isSignedByMe ? (
        <>
          <details>
            <summary>{t('exactBytes')}</summary>
            <CodeBlock
              label={t('exactBytes')}
              text={signedBytes(signing, { approver, timestamp: TIMESTAMP })}
            />
          </details>
          <div class="actions">
            <SignButtons isDisabled={isBusy} onKey={sign} />
          </div>
          {failure}
        </>
      ) : null}
    </>
  );
}
