/** Asks for the signatures that a publication needs: they are given under “Approvals”. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change, get } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import { go, routeTo } from '../router.ts';
import { may, useCaller } from '../session.ts';
import type { SigningMembers } from '../signedBytes.ts';
import type { Approval, Page } from '../types.ts';
import { CommentDialog } from './commentDialog.tsx';
import { Failure } from './frame.tsx';

/** A request that waits already, or the way to ask for it. Nothing, for who may do neither. */
export function AskPublication({
  canAsk,
  of,
}: {
  readonly canAsk: boolean;
  readonly of: SigningMembers;
}): JSX.Element | null {
  const { t } = useI18n();
  const caller = useCaller();
  const [isAsking, setAsking] = useState(false);
  const mayRead = may(caller, 'approve');
  const { resource } = of;
  const asked = useLoad(resource, async (signal) =>
    mayRead
      ? await get<Page<Approval>>('/v1/approvals', { resource, state: 'open' }, signal)
      : { data: [], next_cursor: null },
  );
  const [waiting] = asked.data?.data ?? [];
  if (waiting !== undefined) {
    return (
      <p class="notice">
        <a href={routeTo('approvals', waiting.approval_id)}>{t('waitsForSignatures')}</a>
      </p>
    );
  }
  if (canAsk && asked.error !== undefined) {
    return <Failure error={asked.error} onAgain={asked.again} />;
  }
  if (!canAsk || !mayRead || asked.data === undefined) return null;
  return (
    <>
      <button class="primary" onClick={() => setAsking(true)} type="button">
        {t('askSignatures')}
      </button>
      {isAsking ? (
        <CommentDialog
          label={t('reason')}
          onClose={() => setAsking(false)}
          onDone={() => setAsking(false)}
          send={async (reason) => {
            const { field, new_value } = of;
            const made = await change<Approval>('POST', '/v1/approvals', {
              field,
              new_value,
              reason,
              resource,
            });
            go(routeTo('approvals', made.approval_id));
          }}
          submit={t('askSignatures')}
          title={t('askSignatures')}
        />
      ) : null}
    </>
  );
}
