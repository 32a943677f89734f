/**
 * One version of the sanctions policy, against any other: what differs, what would have changed,
 * and for a draft its edit and the signatures of two persons.
 */
import type { JSX } from 'preact';
import { change, get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { Changes, changesBetween } from '../../parts/changes.tsx';
import { Code, Data, Time } from '../../parts/data.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Choice } from '../../parts/fields.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { SignPublication } from '../../parts/signPublication.tsx';
import { Table } from '../../parts/table.tsx';
import { go, routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { PolicyContent } from './content.tsx';
import { EditDraft } from './editDraft.tsx';
import { useI18n } from './i18n.ts';
import { Simulate } from './simulation.tsx';
import type { SanctionsPolicies, SanctionsPolicy } from './types.ts';
import { usePolicyWords } from './useWords.ts';

const PATH = '/v1/sanctions/policies';
const OPEN = ['DRAFT', 'PENDING_SIGNATURE'];

export function PolicyPage({
  against,
  id,
}: {
  /** A version to compare with; absent: that on which it is based. */
  readonly against: string | undefined;
  readonly id: string;
}): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const policy = useLoad(id, (signal) => get<SanctionsPolicy>(`${PATH}/${id}`, {}, signal));
  return (
    <PageFrame title={t('sanctionsPolicyTitle', { n: id })}>
      <Ready of={policy}>
        {(one) => (
          <>
            <Headline of={one} />
            {may(caller, 'changePolicies') ? <Actions of={one} onChanged={policy.again} /> : null}
            {one.signatures.length === 0 ? null : <Signatures of={one} />}
            <Difference against={against} of={one} />
            {may(caller, 'simulatePolicies') ? <Simulate version={one.version} /> : null}
            <PolicyContent of={one.content} />
          </>
        )}
      </Ready>
    </PageFrame>
  );
}

function Headline({ of }: { readonly of: SanctionsPolicy }): JSX.Element {
  const { t } = useI18n();
  const words = usePolicyWords();
  return (
    <Facts
      of={[
        [
          t('approvalState'),
          <span class={of.status === 'PUBLISHED' ? 'tag good' : 'tag'} key="state">
            {words.state(of.status)}
          </span>,
        ],
        [t('justification'), <Data key="why" text={of.justification} />],
        [t('writtenBy'), <Code key="by" text={of.updated_by} />],
        [t('colUpdated'), <Time at={of.updated_at} key="at" />],
        [t('effectiveAt'), <Time at={of.published_at} key="from" />],
        ['SHA-256', <Code key="hash" text={of.content_hash} />],
      ]}
    />
  );
}

function Actions({
  of,
  onChanged,
}: {
  readonly of: SanctionsPolicy;
  readonly onChanged: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const { attempt, failure, isBusy } = useAttempt();
  const isOpen = OPEN.includes(of.status);
  const copy = (replace: boolean): void =>
    attempt(async () => {
      const body = replace ? { replace } : {};
      const made = await change<SanctionsPolicy>('POST', `${PATH}/${of.version}/draft`, body);
      go(routeTo('policies', String(made.version)));
      return t('policyCopied');
    });
  const discard = (): void =>
    attempt(async () => {
      await change('DELETE', `${PATH}/${of.version}`, undefined, { 'If-Match': of.etag });
      onChanged();
      return t('policyDiscardedNow');
    });
  return (
    <>
      <div class="actions">
        {isOpen ? (
          <button disabled={isBusy} onClick={discard} type="button">
            {t('policyDiscard')}
          </button>
        ) : (
          <button disabled={isBusy} onClick={() => copy(false)} type="button">
            {t('policyCopy')}
          </button>
        )}
        {!isOpen && failure !== null ? (
          <button disabled={isBusy} onClick={() => copy(true)} type="button">
            {t('policyReplace')}
          </button>
        ) : null}
      </div>
      {failure}
      {isOpen && of.signing !== null ? (
        <SignPublication
          maySign={may(caller, 'changePolicies')}
          of={{
            etag: of.etag,
            isSigned: of.signatures.length > 0,
            isSignedByMe: of.signatures.some(({ signer }) => signer === caller.person.person_id),
            path: `${PATH}/${of.version}/publish`,
            signing: of.signing,
          }}
          onChanged={onChanged}
        />
      ) : null}
      {isOpen ? <EditDraft key={of.etag} of={of} onSaved={onChanged} /> : null}
    </>
  );
}

function Signatures({ of }: { readonly of: SanctionsPolicy }): JSX.Element {
  const { t } = useI18n();
  return (
    <section aria-labelledby="signatures">
      <h2 id="signatures">{t('policySignatures')}</h2>
      <Table
        caption={t('policySignatures')}
        heads={[t('signedBy'), t('signatureRole'), t('signingKey'), t('colTime')]}
      >
        {of.signatures.map((one) => (
          <tr key={one.key_id}>
            <th scope="row">
              <Code text={one.signer} />
            </th>
            <td>
              <Code text={one.roles.join(', ')} />
            </td>
            <td>
              <Code text={one.key_id} />
            </td>
            <td>
              <Time at={one.timestamp} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Difference({
  against,
  of,
}: {
  readonly against: string | undefined;
  readonly of: SanctionsPolicy;
}): JSX.Element {
  const { t } = useI18n();
  const words = usePolicyWords();
  const all = useLoad('versions', async (signal) => {
    const page = await get<SanctionsPolicies>(PATH, {}, signal);
    const found = page.active === null ? [] : [page.active];
    return [...found, ...page.drafts, ...page.history];
  });
  const chosen = against ?? String(of.base_version);
  return (
    <section aria-labelledby="difference">
      <h2 id="difference">{t('colChange')}</h2>
      <Ready of={all}>
        {(versions) => (
          <>
            <form aria-label={t('filters')} class="filters">
              <Choice
                choices={[
                  ...(of.base_version === 0 ? [['0', t('policyNothing')] as const] : []),
                  ...versions
                    .filter(({ version }) => version !== of.version)
                    .map(
                      ({ status, version }) =>
                        [String(version), `${version} · ${words.state(status)}`] as const,
                    ),
                ]}
                label={t('policyAgainst')}
                onChange={(next) => go(routeTo('policies', String(of.version), { against: next }))}
                value={chosen}
              />
            </form>
            <Changes
              caption={t('colChange')}
              of={
                chosen === String(of.base_version)
                  ? of.change_summary
                  : changesBetween(
                      versions.find(({ version }) => String(version) === chosen)?.content ?? {},
                      of.content,
                    )
              }
            />
          </>
        )}
      </Ready>
    </section>
  );
}
