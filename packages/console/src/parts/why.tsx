/** Why a hit has its score: words side by side as the scorer aligned them, and what is added up. */
import type { JSX } from 'preact';
import { type MessageKey, useI18n } from '../i18n/index.ts';
import type { Explanation, Hit } from '../types.ts';
import { Code, Data, Score } from './data.tsx';
import { Table } from './table.tsx';

const REASONS: Readonly<Record<string, MessageKey>> = {
  acronym: 'reasonAcronym',
  initial: 'reasonInitial',
  joined: 'reasonJoined',
  nickname: 'reasonNickname',
  same: 'reasonSame',
  shortened: 'reasonShortened',
  spelling: 'reasonSpelling',
  swapped: 'reasonSwapped',
  transliteration: 'reasonTransliteration',
  typo: 'reasonTypo',
};

export function Components({ hit }: { readonly hit: Hit }): JSX.Element {
  const { t } = useI18n();
  const { candidate } = hit;
  const rows = [
    [t('nameScore'), candidate.nameScore],
    [t('phoneticScore'), candidate.phoneticScore],
    [t('dobScore'), candidate.dobScore],
    [t('nationalityScore'), candidate.nationalityScore],
    [t('aliasScore'), candidate.aliasUnfoldScore],
    [t('score'), hit.directScore],
  ] as const;
  return (
    <Table caption={t('components')} heads={[t('components'), [t('score'), 'number']]}>
      {rows.map(([name, value]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td class="number">
            <Score value={value} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Whole words are marked, since a part of an Arabic word would lose its joining. */
export function Alignment({ of }: { readonly of: Explanation }): JSX.Element {
  const { number, t } = useI18n();
  const { left_over } = of;
  return (
    <Table
      caption={t('alignment')}
      heads={[t('asAsked'), t('asListed'), t('why'), [t('score'), 'number']]}
    >
      {of.words.map((word, at) => {
        const reason = REASONS[word.reason];
        const isSame = word.reason === 'same';
        return (
          <tr key={at}>
            <td>
              <span class={isSame ? 'word-same' : 'word-near'}>
                <Data text={word.query} />
              </span>
            </td>
            <td>
              <span class={isSame ? 'word-same' : 'word-near'}>
                <Data text={word.entry} />
              </span>
            </td>
            <td>{reason === undefined ? word.reason : t(reason)}</td>
            <td class="number">{number(word.similarity, 2)}</td>
          </tr>
        );
      })}
      {Array.from({ length: Math.max(left_over.query.length, left_over.entry.length) }, (_, at) => (
        <tr key={`left-${at}`}>
          <td>
            {left_over.query[at] === undefined ? '–' : <LeftOver text={left_over.query[at]} />}
          </td>
          <td>
            {left_over.entry[at] === undefined ? '–' : <LeftOver text={left_over.entry[at]} />}
          </td>
          <td>{t('leftOver')}</td>
          <td class="number">–</td>
        </tr>
      ))}
    </Table>
  );
}

const LeftOver = ({ text }: { readonly text: string }): JSX.Element => (
  <span class="word-alone">
    <Data text={text} />
  </span>
);

export function Terms({ of }: { readonly of: Explanation }): JSX.Element {
  const { number, t } = useI18n();
  return (
    <Table caption={t('terms')} heads={[t('term'), [t('weight'), 'number']]}>
      {of.terms.map(({ term, z }) => (
        <tr key={term}>
          <th scope="row">
            <Code text={term} />
          </th>
          <td class="number">{number(z, 4)}</td>
        </tr>
      ))}
    </Table>
  );
}

export function Why({ hit }: { readonly hit: Hit }): JSX.Element {
  const { t } = useI18n();
  const { explanation } = hit;
  return (
    <div class="why">
      <Components hit={hit} />
      {explanation === null || explanation === undefined ? (
        <p class="muted">{t('noExplanation')}</p>
      ) : (
        <>
          <Alignment of={explanation} />
          <Terms of={explanation} />
        </>
      )}
    </div>
  );
}
