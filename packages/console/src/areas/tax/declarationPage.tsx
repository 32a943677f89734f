/** One declaration: what was found in it, where its messages are, and what the authority said. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change, get } from '../../http.ts';
import { useLoad, useRepeat } from '../../load.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { CommentDialog } from '../../parts/commentDialog.tsx';
import { Code, Data, Time } from '../../parts/data.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PageFrame, Ready } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { routeTo } from '../../router.ts';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import { Messages } from './messages.tsx';
import { DeclarationState } from './tags.tsx';
import type { Declaration, Finding } from './types.ts';
import { useTaxWords } from './useWords.ts';
import { WrongRecords } from './wrongRecords.tsx';

const pathOf = (id: string): string => `/v1/tcr/declarations/${id}`;

export function DeclarationPage({ id }: { readonly id: string }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const declaration = useLoad(id, (signal) => get<Declaration>(pathOf(id), {}, signal));
  useRepeat(declaration, isOnItsWay(declaration.data));
  return (
    <PageFrame title={t('taxDeclaration')}>
      <Ready of={declaration}>
        {(one) => (
          <>
            <Headline of={one} />
            <Actions of={one} onChanged={declaration.again} />
            <Findings key={one.status + one.timeline.length} of={one} />
            <Messages of={one} onChanged={declaration.again} />
            {may(caller, 'readTaxXml') && one.messages.some((part) => part.record_errors > 0) ? (
              <WrongRecords of={one} />
            ) : null}
            <Timeline of={one} />
          </>
        )}
      </Ready>
    </PageFrame>
  );
}

/** A draft in which nothing was found yet is being generated; what was submitted is brought. */
const isOnItsWay = (of: Declaration | undefined): boolean =>
  of !== undefined &&
  (of.status === 'submitted' || (of.status === 'draft' && of.errors_count === 0));

function Headline({ of }: { readonly of: Declaration }): JSX.Element {
  const { number, t } = useI18n();
  return (
    <Facts
      of={[
        [t('taxReference'), <Code key="ref" text={of.reference} />],
        [t('filterStatus'), <DeclarationState key="state" of={of} />],
        [t('taxRegime'), `${of.regime} · ${of.type}`],
        [t('taxPeriod'), <Code key="period" text={of.reporting_period} />],
        [
          t('taxInstitution'),
          <Code key="giin" text={`${of.reporting_fi_giin} → ${of.receiving_country}`} />,
        ],
        [t('taxAccounts'), number(of.account_count)],
        [t('taxTest'), t(of.test ? 'yes' : 'no')],
      ]}
    />
  );
}

function Actions({
  of,
  onChanged,
}: {
  readonly of: Declaration;
  readonly onChanged: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const { attempt, failure, isBusy } = useAttempt();
  const [isCancelling, setCancelling] = useState(false);
  const path = pathOf(of.declaration_id);
  const step = (name: string, done: string): void =>
    attempt(async () => {
      await change('POST', `${path}/${name}`);
      onChanged();
      return done;
    });
  const isNew = ['draft', 'generated'].includes(of.status);
  const maySubmit = ['generated', 'rejected'].includes(of.status) && may(caller, 'fileTax');
  const isOver = of.status.startsWith('cancel');
  return (
    <>
      <div class="actions">
        <button onClick={onChanged} type="button">
          {t('taxReload')}
        </button>
        {isNew && may(caller, 'declareTax') ? (
          <button
            disabled={isBusy}
            onClick={() => step('generate', t('taxGenerating'))}
            type="button"
          >
            {t('taxGenerate')}
          </button>
        ) : null}
        {maySubmit ? (
          <button
            class="primary"
            disabled={isBusy}
            onClick={() => step('submit-ides', t('taxSubmitted'))}
            type="button"
          >
            {t('taxSubmit')}
          </button>
        ) : null}
        {!isOver && may(caller, 'cancelTax') ? (
          <button onClick={() => setCancelling(true)} type="button">
            {t('taxCancel')}
          </button>
        ) : null}
      </div>
      {failure}
      {isCancelling ? (
        <CommentDialog
          label={t('reason')}
          onClose={() => setCancelling(false)}
          onDone={() => setCancelling(false)}
          send={async (reason) => {
            await change('POST', `${path}/cancel`, { reason });
            onChanged();
          }}
          submit={t('taxCancel')}
          title={t('taxCancel')}
        />
      ) : null}
    </>
  );
}

function Findings({ of }: { readonly of: Declaration }): JSX.Element {
  const { number, t } = useI18n();
  const path = `${pathOf(of.declaration_id)}/findings`;
  const found = useLoad(path, (signal) =>
    get<{ readonly data: readonly Finding[] }>(path, {}, signal),
  );
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">{t('taxFindings')}</h2>
      <p>
        {t('taxError')}: {number(of.errors_count)} · {t('taxWarning')}: {number(of.warnings_count)}
      </p>
      <Ready of={found}>
        {({ data }) =>
          data.length === 0 ? (
            <p>{t('taxNoFindings')}</p>
          ) : (
            <Table
              caption={t('taxFindings')}
              heads={[t('taxSeverity'), t('taxAccount'), t('taxPointer'), t('taxWhat')]}
            >
              {data.map((one) => (
                <tr key={`${one.account_ref}${one.pointer}${one.code}`}>
                  <td>
                    <span class={one.severity === 'error' ? 'tag bad' : 'tag'}>
                      {t(one.severity === 'error' ? 'taxError' : 'taxWarning')}
                    </span>
                  </td>
                  <td>{one.account_ref === null ? '–' : <Code text={one.account_ref} />}</td>
                  <td>
                    <Code text={one.pointer} />
                  </td>
                  <td>
                    <Code text={one.code} /> <Data text={one.detail} />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Ready>
    </section>
  );
}

function Timeline({ of }: { readonly of: Declaration }): JSX.Element {
  const { t } = useI18n();
  const words = useTaxWords();
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">{t('taxTimeline')}</h2>
      <Table
        caption={t('taxTimeline')}
        heads={[t('colTime'), t('filterStatus'), t('taxCause'), t('colActor')]}
      >
        {of.timeline.map((one) => (
          <tr key={one.at + one.to}>
            <td>
              <Time at={one.at} />
            </td>
            <td>{words.state(one.to)}</td>
            <td>
              <Code text={one.cause} />
            </td>
            <td>
              <Code text={one.by} />
            </td>
          </tr>
        ))}
      </Table>
      <p>
        <a href={routeTo('tax')}>{t('taxTitle')}</a>
      </p>
    </section>
  );
}
