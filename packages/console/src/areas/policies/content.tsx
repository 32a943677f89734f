/** Thresholds and weights of a sanctions policy, with the lists that it leaves out. */
import type { JSX } from 'preact';
import { Bar } from '../../parts/charts.tsx';
import { Code } from '../../parts/data.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Table } from '../../parts/table.tsx';
import { useI18n } from './i18n.ts';
import { type PolicyContent as Content, PARTS, THRESHOLDS } from './types.ts';
import { usePolicyWords } from './useWords.ts';

const DIGITS = 2;

export function PolicyContent({ of }: { readonly of: Content }): JSX.Element {
  const { t } = useI18n();
  const words = usePolicyWords();
  const off = Object.entries(of.sources).filter(([, { enabled }]) => !enabled);
  return (
    <>
      <div class="pair">
        <Numbers
          caption={t('scoreThresholds')}
          of={THRESHOLDS.map((name) => [words.threshold(name), of.thresholds[name]])}
        />
        <Numbers
          caption={t('scoreWeights')}
          of={PARTS.map((name) => [words.part(name), of.weights[name]])}
        />
      </div>
      <p>
        {t('policySources')}: {off.length === 0 ? t('none') : null}
        {off.map(([source]) => (
          <span class="one-of" key={source}>
            <Code text={source} />
          </span>
        ))}
      </p>
      <details>
        <summary>{t('flagsTitle')}</summary>
        <Facts
          of={Object.entries(of.flags).map(([name, value]) => [
            name,
            <Code key={name} text={Array.isArray(value) ? value.join(', ') : String(value)} />,
          ])}
        />
      </details>
    </>
  );
}

function Numbers({
  caption,
  of,
}: {
  readonly caption: string;
  readonly of: readonly (readonly [name: string, value: number])[];
}): JSX.Element {
  const { number, t } = useI18n();
  return (
    <section>
      <h2>{caption}</h2>
      <Table caption={caption} heads={[t('colMember'), [t('colScore'), 'number'], '']}>
        {of.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{number(value, DIGITS)}</td>
            <td>
              <Bar share={value} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
