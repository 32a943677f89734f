/** What a version says of the latest transactions of the log, by themselves. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change, get } from '../../http.ts';
import { Code } from '../../parts/data.tsx';
import { Failure } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { routeTo } from '../../router.ts';
import type { Page } from '../../types.ts';
import { useI18n } from './i18n.ts';
import { Said } from './tags.tsx';
import {
  type DryRun,
  type RuleVersion,
  TRANSACTIONS,
  type Transaction,
  versionPath,
} from './types.ts';

const TAKEN = 200;
const SHOWN = 20;

export function DryRunOnLog({ of }: { readonly of: RuleVersion }): JSX.Element {
  const { t } = useI18n();
  const [ran, setRan] = useState<DryRun>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await get<Page<Transaction>>(TRANSACTIONS, { limit: TAKEN });
      const transactions = data.flatMap(({ transaction }) => transaction ?? []).map(sendable);
      setRan(
        transactions.length === 0
          ? { data: [] }
          : await change<DryRun>('POST', `${versionPath(of)}/dry-run`, { transactions }),
      );
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-labelledby="dry-run">
      <h2 id="dry-run">{t('dryRun')}</h2>
      <p class="hint">{t('dryRunHint')}</p>
      <button disabled={isBusy} onClick={run} type="button">
        {t('dryRunDo', { count: TAKEN })}
      </button>
      {error === undefined ? null : <Failure error={error} />}
      <div aria-live="polite">{ran === undefined ? null : <Found of={ran} />}</div>
    </section>
  );
}

/** What the log adds by itself is no part of what is sent. */
function sendable({
  precision: _,
  ...members
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return members;
}

function Found({ of: { data } }: { readonly of: DryRun }): JSX.Element {
  const { number, t } = useI18n();
  const met = data.filter((one) => one.met === true);
  const unknown = data.filter((one) => one.in_scope && one.met === null);
  return (
    <>
      <p>
        {t('dryRunSays', {
          all: number(data.length),
          met: number(met.length),
          scope: number(data.filter((one) => one.in_scope).length),
          unknown: number(unknown.length),
        })}
      </p>
      {met.length === 0 ? null : (
        <Table caption={t('dryRun')} heads={[t('colTransaction'), t('colWhy'), t('figures')]}>
          {met.slice(0, SHOWN).map((one) => (
            <tr key={one.tx_id}>
              <th scope="row">
                <a href={routeTo('transactions', one.tx_id)}>
                  <Code text={one.tx_id} />
                </a>
              </th>
              <td>{one.explanation === null ? '–' : <Said of={one.explanation.text} />}</td>
              <td>
                {one.explanation?.conditions
                  .filter(({ name }) => name.startsWith('let.'))
                  .map((condition) => (
                    <div key={`${condition.name}/${condition.op}`}>
                      <Code
                        text={`${condition.name.slice('let.'.length)} ${condition.value ?? '?'}`}
                      />{' '}
                      <span class="muted">
                        ({condition.op} {condition.bound})
                      </span>
                    </div>
                  ))}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
