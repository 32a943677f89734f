/** Facts with their names, one under the other. */
import type { ComponentChildren, JSX } from 'preact';
import { Fragment } from 'preact';

export const Facts = ({
  of,
}: {
  readonly of: readonly (readonly [name: string, value: ComponentChildren])[];
}): JSX.Element => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </Fragment>
    ))}
  </dl>
);
