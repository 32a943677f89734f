/** A table in a region of its own, which scrolls where the window is narrow and takes the keyboard. */
import type { ComponentChildren, JSX, RefObject } from 'preact';

export function Table({
  body,
  caption,
  children,
  heads,
  rowCount,
}: {
  readonly body?: RefObject<HTMLTableSectionElement | null> | undefined;
  readonly caption: string;
  readonly children: ComponentChildren;
  readonly heads: readonly (string | readonly [text: string, kind: 'number'])[];
  /** Of a table of which only a part is drawn, its heading counted; -1: nobody knows. */
  readonly rowCount?: number | undefined;
}): JSX.Element {
  return (
    <section aria-label={caption} class="table" tabIndex={0}>
      <table aria-rowcount={rowCount}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr aria-rowindex={rowCount === undefined ? undefined : 1}>
            {heads.map((head) => {
              const isText = typeof head === 'string';
              const text = isText ? head : head[0];
              return text === '' ? (
                <td key="drawn" />
              ) : (
                <th class={isText ? undefined : 'number'} key={text} scope="col">
                  {text}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody ref={body ?? null}>{children}</tbody>
      </table>
    </section>
  );
}
