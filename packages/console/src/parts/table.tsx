/** A table in a region of its own, which scrolls where the window is narrow and takes the keyboard. */
import type { ComponentChildren, JSX } from 'preact';

export function Table({
  caption,
  children,
  heads,
}: {
  readonly caption: string;
  readonly children: ComponentChildren;
  readonly heads: readonly (string | readonly [text: string, kind: 'number'])[];
}): JSX.Element {
  return (
    <section aria-label={caption} class="table" tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {heads.map((head) => {
              const isText = typeof head === 'string';
              const text = isText ? head : head[0];
              return (
                <th class={isText ? undefined : 'number'} key={text} scope="col">
                  {text}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
