/** The language of rules, readable: parameters, figures, and the tree of conditions in words. */
import { Fragment, type JSX } from 'preact';
import { Code } from '../../parts/data.tsx';
import { Table } from '../../parts/table.tsx';
import { Severity } from '../../parts/words.tsx';
import { type AreaKey, useI18n } from './i18n.ts';
import { Said } from './tags.tsx';
import type { Aggregate, Condition, Operand, Param, RuleContent } from './types.ts';

export function RuleText({ of }: { readonly of: RuleContent }): JSX.Element {
  const { t } = useI18n();
  return (
    <section aria-labelledby="says">
      <h2 id="says">{t('ruleSays')}</h2>
      <p class="notice">
        <Said of={of.explain} />
      </p>
      <dl class="facts">
        <dt>{t('ruleSubject')}</dt>
        <dd>{t(`subject_${of.subject}`)}</dd>
        <dt>{t('looksAt')}</dt>
        <dd>
          <Scope of={of.scope} />
        </dd>
        <dt>{t('oneAlert')}</dt>
        <dd>
          <Span of={of.suppress} />
        </dd>
        <dt>{t('score')}</dt>
        <dd>
          <Code text={of.score} />
        </dd>
      </dl>
      <Params of={of.params} />
      <Figures of={of} />
      <h3>{t('raisesWhere')}</h3>
      <ul class="conditions">
        <Tree of={of.when} params={of.params} />
      </ul>
      {(of.extras ?? []).map((extra, at) => (
        <Fragment key={at}>
          <h3>
            {t('scoresMore', { weight: extra.weight })}{' '}
            {extra.severity === undefined ? null : <Severity of={extra.severity} />}
          </h3>
          <ul class="conditions">
            <Tree of={extra.when} params={of.params} />
          </ul>
        </Fragment>
      ))}
    </section>
  );
}

function Scope({ of }: { readonly of: RuleContent['scope'] }): JSX.Element {
  const { t } = useI18n();
  const parts = Object.entries(of ?? {});
  if (parts.length === 0) return <>{t('allTransactions')}</>;
  return (
    <>
      {parts.map(([name, values]) => (
        <span class="one-of" key={name}>
          {t(`scope_${name as 'channels'}`)}: <Code text={values.join(', ')} />
        </span>
      ))}
    </>
  );
}

const UNITS: readonly (readonly [letter: RegExp, key: 'days' | 'hours' | 'minutes'])[] = [
  [/^P(\d+)D$/, 'days'],
  [/^PT(\d+)H$/, 'hours'],
  [/^PT(\d+)M$/, 'minutes'],
];

/** `P2D` in words; what is written otherwise stands as it is. */
function Span({ of }: { readonly of: string }): JSX.Element {
  const { t } = useI18n();
  for (const [letter, key] of UNITS) {
    const [, count] = letter.exec(of) ?? [];
    if (count !== undefined) return <>{t(`span_${key}`, { count })}</>;
  }
  return <Code text={of} />;
}

const VALUES_SHOWN = 12;

function Value({ of: { type, value } }: { readonly of: Param }): JSX.Element {
  if (type === 'duration') return <Span of={String(value)} />;
  if (!Array.isArray(value)) return <Code text={String(value)} />;
  const rest = value.length - VALUES_SHOWN;
  return <Code text={value.slice(0, VALUES_SHOWN).join(', ') + (rest > 0 ? ` … +${rest}` : '')} />;
}

function Params({ of }: { readonly of: RuleContent['params'] }): JSX.Element | null {
  const { t } = useI18n();
  const all = Object.entries(of);
  if (all.length === 0) return null;
  return (
    <>
      <h3>{t('params')}</h3>
      <Table caption={t('params')} heads={[t('name'), t('type'), t('colValue')]}>
        {all.map(([name, one]) => (
          <tr key={name}>
            <th scope="row">
              <Code text={name} />
            </th>
            <td>{t(`param_${one.type as 'amount'}`)}</td>
            <td>
              <Value of={one} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function Figures({ of }: { readonly of: RuleContent }): JSX.Element | null {
  const { t } = useI18n();
  const all = Object.entries(of.let);
  if (all.length === 0) return null;
  return (
    <>
      <h3>{t('figures')}</h3>
      <Table caption={t('figures')} heads={[t('name'), t('colFigure'), t('colOver')]}>
        {all.map(([name, one]) => (
          <tr key={name}>
            <th scope="row">
              <Code text={name} />
            </th>
            <td>
              {t(`agg_${one.agg as 'sum'}`)}
              <Further of={one} params={of.params} />
            </td>
            <td>
              <Window of={one} params={of.params} />
              {one.where === undefined ? null : (
                <ul class="conditions">
                  <Tree of={one.where} params={of.params} />
                </ul>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** Members that say more of a figure, by their own names. */
function Further({
  of: { agg: _, where: __, window: ___, ...others },
  params,
}: {
  readonly of: Aggregate;
  readonly params: RuleContent['params'];
}): JSX.Element | null {
  const all = Object.entries(others);
  if (all.length === 0) return null;
  return (
    <>
      {all.map(([name, value]) => (
        <div key={name}>
          <Code text={name} />: <Term of={value as Operand} params={params} />
        </div>
      ))}
    </>
  );
}

function Window({
  of: { window },
  params,
}: {
  readonly of: Aggregate;
  readonly params: RuleContent['params'];
}): JSX.Element {
  const { t } = useI18n();
  if (window === undefined) return <>{t('allHistory')}</>;
  const { calendar, self, sliding, until } = window;
  const spanOf = (text: string): JSX.Element => {
    const named = params[text.replace(/^param\./, '')];
    return named === undefined ? <Span of={text} /> : <Value of={named} />;
  };
  return (
    <div>
      {sliding === undefined ? null : (
        <span class="one-of">
          {t('windowSliding')} {spanOf(sliding)}
        </span>
      )}
      {calendar === undefined ? null : <span class="one-of">{t(`window_${calendar}`)}</span>}
      {until === undefined ? null : (
        <span class="one-of">
          {t('windowUntil')} {spanOf(until)}
        </span>
      )}
      {self === false ? <span class="one-of">{t('windowWithout')}</span> : null}
    </div>
  );
}

const SIGNS = { eq: '=', gt: '>', gte: '≥', lt: '<', lte: '≤' } as const;
const COMPARISONS = Object.keys(SIGNS) as (keyof typeof SIGNS)[];

interface TreeProps {
  readonly of: Condition;
  readonly params: RuleContent['params'];
}

/** A condition as an item of a list: several under their own heading, one as a line. */
function Tree({ of, params }: TreeProps): JSX.Element {
  const { t } = useI18n();
  const group = (key: AreaKey, members: readonly Condition[]): JSX.Element => (
    <li>
      {t(key)}
      <ul class="conditions">
        {members.map((one, at) => (
          <Tree key={at} of={one} params={params} />
        ))}
      </ul>
    </li>
  );
  if (of.all !== undefined) return group('allOf', of.all);
  if (of.any !== undefined) return group('anyOf', of.any);
  if (of.not !== undefined) return group('noneOf', [of.not]);
  return (
    <li>
      <Line of={of} params={params} />
      {of.on_missing === true ? <span class="muted"> ({t('onMissing')})</span> : null}
    </li>
  );
}

function Line({ of, params }: TreeProps): JSX.Element {
  const { t } = useI18n();
  const term = (operand: Operand | readonly string[] | undefined): JSX.Element => (
    <Term of={operand ?? ''} params={params} />
  );
  if (of.exists !== undefined) {
    return (
      <>
        {term(of.exists)} {t('exists')}
      </>
    );
  }
  if (of.between !== undefined) {
    const [value, low, high] = of.between;
    return (
      <>
        {term(low)} ≤ {term(value)} ≤ {term(high)}
      </>
    );
  }
  if (of.in !== undefined) {
    const [value, set] = of.in;
    return (
      <>
        {term(value)} {t('isIn')} {term(set)}
      </>
    );
  }
  const name = COMPARISONS.find((one) => of[one] !== undefined);
  const [left, right] = (name && of[name]) ?? [];
  return (
    <bdi dir="ltr">
      {term(left)} {name === undefined ? '' : SIGNS[name]} {term(right)}
    </bdi>
  );
}

/** A value by its name, with what the parameter of that name is. */
function Term({
  of,
  params,
}: {
  readonly of: Operand | readonly (Operand | string)[];
  readonly params: RuleContent['params'];
}): JSX.Element {
  if (Array.isArray(of)) return <Code text={of.join(', ')} />;
  const text = String(of);
  const named = text.startsWith('param.') ? params[text.slice('param.'.length)] : undefined;
  if (named === undefined) return <Code text={text.replace(/^let\./, '')} />;
  return (
    <>
      <Code text={text.slice('param.'.length)} /> (<Value of={named} />)
    </>
  );
}
