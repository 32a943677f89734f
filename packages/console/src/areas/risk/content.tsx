/** What a risk policy says, to be read by people: weights, levels, factors, overrides. */
import type { JSX } from 'preact';
import { Bar } from '../../parts/charts.tsx';
import { conditionText } from '../../parts/conditionText.ts';
import { Code, Data } from '../../parts/data.tsx';
import { Table } from '../../parts/table.tsx';
import { useI18n } from './i18n.ts';
import { DIMENSIONS, type Factor, LEVELS, type RiskContent } from './types.ts';
import { useRiskWords } from './useWords.ts';

/** Basis points of a whole. */
const UNIT = 10_000;

export function PolicyContent({ of }: { readonly of: RiskContent }): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <div class="pair">
        <section aria-labelledby="weights">
          <h2 id="weights">{t('weights')}</h2>
          <Weights of={of} />
        </section>
        <section aria-labelledby="levels">
          <h2 id="levels">{t('thresholds')}</h2>
          <Levels of={of} />
          <p>
            {t('onIncomplete')}:{' '}
            {t(of.on_incomplete === 'review' ? 'incompleteReview' : 'incompleteAccept')}
          </p>
        </section>
      </div>
      <section aria-labelledby="factors">
        <h2 id="factors">{t('factors')}</h2>
        <Factors of={of.factors} />
      </section>
      <section aria-labelledby="overrides">
        <h2 id="overrides">{t('overrides')}</h2>
        {of.overrides.length === 0 ? <p>{t('none')}</p> : <Overrides of={of} />}
      </section>
    </>
  );
}

function Weights({ of }: { readonly of: RiskContent }): JSX.Element {
  const { number, t } = useI18n();
  const words = useRiskWords();
  return (
    <Table
      caption={t('weights')}
      heads={[t('dimension'), [t('weightPercent'), 'number'], '', t('combine')]}
    >
      {DIMENSIONS.map((name) => (
        <tr key={name}>
          <th scope="row">{words.dimension(name)}</th>
          <td class="number">{number(of.weights[name] / 100, 2)}</td>
          <td>
            <Bar share={of.weights[name] / UNIT} />
          </td>
          <td>{t(of.combine[name] === 'sum' ? 'combineSum' : 'combineMax')}</td>
        </tr>
      ))}
    </Table>
  );
}

function Levels({ of: { thresholds } }: { readonly of: RiskContent }): JSX.Element {
  const { number, t } = useI18n();
  const words = useRiskWords();
  const { high, prohibited, standard } = thresholds;
  const begins = [0, standard, high, prohibited];
  return (
    <Table caption={t('thresholds')} heads={[t('thresholds'), [t('fromPoints'), 'number'], '']}>
      {LEVELS.map((level, at) => {
        const begin = begins[at];
        return (
          <tr key={level}>
            <th scope="row">{words.level(level)}</th>
            <td class="number">{begin == null ? t('overridesOnly') : number(begin)}</td>
            <td>{begin == null ? null : <Bar share={begin / 100} />}</td>
          </tr>
        );
      })}
    </Table>
  );
}

function Factors({ of }: { readonly of: readonly Factor[] }): JSX.Element {
  const { language, number, t } = useI18n();
  const words = useRiskWords();
  return (
    <Table
      caption={t('factors')}
      heads={[t('dimension'), t('factor'), t('pointsBy'), [t('missingPoints'), 'number']]}
    >
      {DIMENSIONS.flatMap((dimension) => of.filter((one) => one.dimension === dimension)).map(
        (factor) => (
          <tr key={factor.id}>
            <td>{words.dimension(factor.dimension)}</td>
            <th scope="row">
              <Data text={factor.label?.[language] ?? factor.id} />
              <br />
              <span class="hint">
                <Code text={factor.fact ?? factor.id} />
              </span>
            </th>
            <td>
              <Points of={factor} />
            </td>
            <td class="number">{number(factor.missing_points)}</td>
          </tr>
        ),
      )}
    </Table>
  );
}

function Points({ of }: { readonly of: Factor }): JSX.Element {
  const { number, t } = useI18n();
  if (of.when !== undefined) {
    return (
      <>
        <strong class="number">{number(of.points ?? 0)}</strong>{' '}
        <Code text={conditionText(of.when)} />
      </>
    );
  }
  if (of.bands !== undefined) {
    return (
      <ul class="plain">
        {of.bands.map(({ lt, points }) => (
          <li key={lt ?? 'rest'}>
            <strong class="number">{number(points)}</strong>{' '}
            {lt === undefined ? t('andMore') : t('below', { n: number(lt) })}
          </li>
        ))}
      </ul>
    );
  }
  return (
    <ul class="plain">
      {byPoints(of.table ?? {}).map(([points, values]) => (
        <li key={points}>
          <strong class="number">{number(points)}</strong>{' '}
          {values.includes('*') ? <em>{t('everyOther')} </em> : null}
          <Code text={values.filter((value) => value !== '*').join(', ')} />
        </li>
      ))}
    </ul>
  );
}

/** Values that have the same points stand together, the highest first. */
function byPoints(table: Readonly<Record<string, number>>): [number, string[]][] {
  const found = new Map<number, string[]>();
  for (const [value, points] of Object.entries(table)) {
    found.set(points, [...(found.get(points) ?? []), value]);
  }
  return [...found].sort(([one], [other]) => other - one);
}

function Overrides({ of }: { readonly of: RiskContent }): JSX.Element {
  const { t } = useI18n();
  const words = useRiskWords();
  return (
    <Table caption={t('overrides')} heads={[t('overrides'), t('condition'), t('forces')]}>
      {of.overrides.map(({ force, id, when }) => (
        <tr key={id}>
          <th scope="row">
            <Code text={id} />
          </th>
          <td>
            <Code text={conditionText(when)} />
          </td>
          <td>{words.level(force)}</td>
        </tr>
      ))}
    </Table>
  );
}
