/**
 * Who was screened beside who is listed, attribute by attribute. Names are marked word by word as
 * the scorer aligned them; the other attributes by the scorer's own figures. A mark is a word, and
 * a colour only beside it.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useI18n } from '../i18n/index.ts';
import type { Explanation, ReviewedHit, ScreeningHits } from '../types.ts';
import { Code, Data, Score } from './data.tsx';
import { Table } from './table.tsx';

type Mark = 'agree' | 'differ' | 'missing' | 'partly';

/** A figure of the scorer as a word: 1 agrees, 0 differs, in between in part, none is missing. */
export function markOf(score: number | null): Mark {
  if (score === null) return 'missing';
  if (score >= 1) return 'agree';
  return score <= 0 ? 'differ' : 'partly';
}

export function SideBySide({
  hit,
  subject,
}: {
  readonly hit: ReviewedHit;
  readonly subject: ScreeningHits['subject'];
}): JSX.Element {
  const { t } = useI18n();
  const { candidate, explanation } = hit;
  const [name = null] = subject?.names ?? [];
  return (
    <Table
      caption={`${t('subject')} – ${t('listedParty')}`}
      heads={[t('attribute'), t('subject'), t('listedParty'), t('comparison')]}
    >
      <Row
        label={t('name')}
        listed={<MarkedName of={explanation} side="entry" text={candidate.primary_name} />}
        mark={markOf(candidate.nameScore)}
        own={
          subject === null ? t('erased') : <MarkedName of={explanation} side="query" text={name} />
        }
      />
      <Row
        label={t('dob')}
        listed={<Several of={candidate.dates_of_birth} />}
        mark={markOf(candidate.dobScore)}
        own={<Data text={subject?.dob} />}
      />
      <Row
        label={t('citizenship')}
        listed={<Several of={candidate.citizenships} />}
        mark={markOf(candidate.nationalityScore)}
        own={<Data text={subject?.nationality} />}
      />
      <Row
        label={t('type')}
        listed={<Data text={candidate.schema} />}
        mark={typeMark(subject?.type ?? null, candidate.schema)}
        own={<Data text={subject?.type} />}
      />
      <Only label={t('akas')} listed={<Several of={candidate.akas} />} />
      <Only label={t('programmes')} listed={<Several of={candidate.programmes} />} />
      <Only label={t('identifiers')} listed={<Several of={candidate.identifiers} />} />
      <Only
        label={t('lists')}
        listed={<Several of={candidate.source_lists_hits.map(({ list }) => list)} />}
      />
      {hit.rcaHits.length === 0 ? null : (
        <Only label={t('relatedTo')} listed={<Related of={hit} />} />
      )}
    </Table>
  );
}

const typeMark = (own: string | null, listed: string): Mark => {
  if (own === null) return 'missing';
  return own === listed ? 'agree' : 'differ';
};

function Row({
  label,
  listed,
  mark,
  own,
}: {
  readonly label: string;
  readonly listed: ComponentChildren;
  readonly mark: Mark;
  readonly own: ComponentChildren;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{own}</td>
      <td>{listed}</td>
      <td>
        <span class={`mark ${mark}`}>{t(mark)}</span>
      </td>
    </tr>
  );
}

/** What the list alone says. */
const Only = ({
  label,
  listed,
}: {
  readonly label: string;
  readonly listed: ComponentChildren;
}): JSX.Element => (
  <tr>
    <th scope="row">{label}</th>
    <td>–</td>
    <td>{listed}</td>
    <td>–</td>
  </tr>
);

function Several({ of }: { readonly of: readonly string[] | null }): JSX.Element {
  const { t } = useI18n();
  if (of === null || of.length === 0) return <span class="muted">{t('unknown')}</span>;
  return (
    <>
      {of.map((one, at) => (
        <span class="one-of" key={at}>
          <Data text={one} />
        </span>
      ))}
    </>
  );
}

/** The name as the list has it, and under it the words that were compared, each with its mark. */
function MarkedName({
  of,
  side,
  text,
}: {
  readonly of: Explanation | null | undefined;
  readonly side: 'entry' | 'query';
  readonly text: string | null;
}): JSX.Element {
  return (
    <>
      <strong>
        <Data text={text} />
      </strong>
      {of === null || of === undefined ? null : (
        <span class="tokens">
          {of.words.map((word, at) => (
            <span class={word.reason === 'same' ? 'word-same' : 'word-near'} key={at}>
              <Data text={word[side]} />
            </span>
          ))}
          {of.left_over[side].map((word, at) => (
            <span class="word-alone" key={`alone-${at}`}>
              <Data text={word} />
            </span>
          ))}
        </span>
      )}
    </>
  );
}

function Related({ of }: { readonly of: ReviewedHit }): JSX.Element {
  const { t } = useI18n();
  return (
    <ul class="plain">
      {of.rcaHits.map((path) => (
        <li key={path.sanctionedTargetFtmId}>
          <Data text={path.pathTypes.join(' → ')} /> ({path.depth} {t('steps')},{' '}
          <Score value={path.rcaScore} />) <Code text={path.sanctionedTargetFtmId} />
        </li>
      ))}
    </ul>
  );
}
