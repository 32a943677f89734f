/** Elements with text and attributes: nothing is ever parsed as HTML. */

type Attributes = Readonly<Record<string, boolean | string | undefined>>;

/** An element; `false` and undefined leave an attribute out. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...inside: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  element.append(...inside);
  return element;
}
