/** Data in the middle of our words: isolated in its own direction, with nothing hidden in it. */
import type { JSX } from 'preact';
import { useI18n } from '../i18n/index.ts';
import { piecesOf } from '../visible.ts';

/** A name or any other text that came from outside. */
export function Data({ text }: { readonly text: string | null | undefined }): JSX.Element {
  const { t } = useI18n();
  if (text === null || text === undefined || text === '') {
    return <span class="muted">{t('unknown')}</span>;
  }
  return <bdi dir="auto">{shown(text)}</bdi>;
}

const shown = (text: string): JSX.Element[] =>
  piecesOf(text).map((piece, at) =>
    piece.isHidden ? (
      <mark class="hidden-character" key={at}>
        {piece.text}
      </mark>
    ) : (
      <span key={at}>{piece.text}</span>
    ),
  );

/** Ids, digests, dates of records, code: left to right wherever they stand. */
export function Code({ text }: { readonly text: string }): JSX.Element {
  return (
    <bdi class="code" dir="ltr">
      {shown(text)}
    </bdi>
  );
}

export function Time({ at }: { readonly at: string | null }): JSX.Element {
  const { date, t } = useI18n();
  if (at === null) return <span class="muted">{t('none')}</span>;
  return (
    <time class="nowrap" dateTime={at}>
      {date(at)}
    </time>
  );
}

export function Score({ value }: { readonly value: number | null }): JSX.Element {
  const { number, t } = useI18n();
  if (value === null) return <span class="muted">{t('missingSide')}</span>;
  return <span class="number">{number(value, 4)}</span>;
}

/** Text of machines, in a region that scrolls by the keyboard too. */
export function CodeBlock({
  label,
  text,
}: {
  readonly label: string;
  readonly text: string;
}): JSX.Element {
  return (
    <section aria-label={label} class="json" tabIndex={0}>
      <pre dir="ltr">{shown(text)}</pre>
    </section>
  );
}

/** JSON as it is, for people who check it. */
export const Json = ({
  label,
  value,
}: {
  readonly label: string;
  readonly value: unknown;
}): JSX.Element => <CodeBlock label={label} text={JSON.stringify(value, undefined, 2) ?? ''} />;
