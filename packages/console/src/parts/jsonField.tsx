/** A document as JSON, with what the API found wrong in it: a violation leads to its place. */
import type { JSX } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { useI18n } from '../i18n/index.ts';
import type { Violation } from '../problem.ts';
import { Code, Data } from './data.tsx';
import { jsonPlaces, type Place } from './jsonPlaces.ts';
import { Table } from './table.tsx';

export function JsonField({
  head = '',
  label,
  onInput,
  rows = 28,
  value,
  violations,
}: {
  /** Where the document stands in the body that is sent; violations may begin there, or in it. */
  readonly head?: string;
  readonly label: string;
  readonly onInput: (text: string) => void;
  readonly rows?: number;
  readonly value: string;
  readonly violations: readonly Violation[];
}): JSX.Element {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const show = ({ from, to }: Place): void => {
    const field = area.current;
    if (field === null) return;
    field.focus();
    field.setSelectionRange(from, to);
    // The line of it comes into view: the share of the text that stands before.
    field.scrollTop = (from / Math.max(1, value.length)) * field.scrollHeight;
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        aria-describedby={violations.length === 0 ? undefined : `${id}-faults`}
        aria-invalid={violations.length > 0}
        class="code document-text"
        dir="ltr"
        id={id}
        onInput={(event) => onInput(event.currentTarget.value)}
        ref={area}
        rows={rows}
        spellcheck={false}
        value={value}
      />
      <div id={`${id}-faults`}>
        {violations.length === 0 ? null : (
          <Faults head={head} of={violations} onShow={show} text={value} />
        )}
      </div>
    </div>
  );
}

/** The nearest value around it that stands in the text. */
function placeIn(text: string, head: string, pointer: string): Place | undefined {
  const places = jsonPlaces(text);
  let path = pointer.startsWith(`${head}/`) ? pointer.slice(head.length) : pointer;
  while (path !== '' && !places.has(path)) path = path.slice(0, path.lastIndexOf('/'));
  return places.get(path);
}

export function Faults({
  head = '',
  of,
  onShow,
  text = '',
}: {
  readonly head?: string;
  readonly of: readonly Violation[];
  readonly onShow?: (place: Place) => void;
  readonly text?: string;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <Table caption={t('faults')} heads={[t('colPlace'), t('colFault')]}>
      {of.map((one, at) => {
        const place = onShow === undefined ? undefined : placeIn(text, head, one.pointer);
        return (
          <tr key={at}>
            <td>
              {place === undefined ? (
                <Code text={one.pointer} />
              ) : (
                <button class="link" onClick={() => onShow?.(place)} type="button">
                  <Code text={one.pointer === '' ? '/' : one.pointer} />
                </button>
              )}
            </td>
            <td>
              <Data text={one.detail} />
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
