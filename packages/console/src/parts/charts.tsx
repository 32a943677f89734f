/**
 * Figures that are drawn. A bar stands in its table beside its number; a matrix is drawn, and its
 * table stands under it, so that nothing is told by a picture alone.
 */
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { useI18n } from '../i18n/index.ts';
import { Table } from './table.tsx';

/** A part of a whole, 0 to 1. Hidden from who cannot see it: the number stands beside it. */
export function Bar({ share }: { readonly share: number }): JSX.Element {
  const width = Math.max(0, Math.min(1, share)) * 100;
  return (
    <svg
      aria-hidden="true"
      class="bar-drawn"
      focusable="false"
      preserveAspectRatio="none"
      viewBox="0 0 100 10"
    >
      <rect class="bar-ground" height="10" width="100" />
      <rect class="bar-part" height="10" width={width} />
    </svg>
  );
}

export interface MatrixProps {
  readonly caption: string;
  readonly cells: readonly (readonly number[])[];
  /** Of rows and columns, in one order, the lowest first. */
  readonly labels: readonly string[];
  readonly rowsAre: string;
  readonly columnsAre: string;
}

const SIDE = 64;
const START = 118;
const TOP = 64;
const OPACITY = { least: 0.12, more: 0.38 };

/** Counts by the old level (rows) and the new one (columns), drawn. */
export function Matrix(of: MatrixProps): JSX.Element {
  const { number } = useI18n();
  const id = useId();
  const most = Math.max(1, ...of.cells.flat());
  const size = of.labels.length * SIDE;
  return (
    <>
      <svg
        aria-labelledby={id}
        class="matrix"
        dir="ltr"
        role="img"
        viewBox={`0 0 ${START + size + 4} ${TOP + size + 4}`}
      >
        <title id={id}>{of.caption}</title>
        <text class="axis" text-anchor="middle" x={START + size / 2} y={20}>
          {of.columnsAre}
        </text>
        <text class="axis" text-anchor="middle" x={(START - 8) / 2} y={TOP - 14}>
          {of.rowsAre}
        </text>
        {of.labels.map((label, at) => (
          <g key={label}>
            <text text-anchor="middle" x={START + at * SIDE + SIDE / 2} y={TOP - 14}>
              {label}
            </text>
            <text text-anchor="middle" x={(START - 8) / 2} y={TOP + at * SIDE + SIDE / 2 + 4}>
              {label}
            </text>
          </g>
        ))}
        {of.cells.map((row, y) =>
          row.map((count, x) => (
            <g key={`${x}-${y}`}>
              <rect
                class={`cell ${kindOf(x, y)}`}
                fill-opacity={count === 0 ? 0 : OPACITY.least + (OPACITY.more * count) / most}
                height={SIDE}
                width={SIDE}
                x={START + x * SIDE}
                y={TOP + y * SIDE}
              />
              <text
                class={count === 0 ? 'zero' : 'count'}
                text-anchor="middle"
                x={START + x * SIDE + SIDE / 2}
                y={TOP + y * SIDE + SIDE / 2 + 5}
              >
                {number(count)}
              </text>
            </g>
          )),
        )}
      </svg>
      <MatrixTable {...of} />
    </>
  );
}

const kindOf = (x: number, y: number): string => (x === y ? 'same' : x > y ? 'higher' : 'lower');

function MatrixTable({ caption, cells, columnsAre, labels, rowsAre }: MatrixProps): JSX.Element {
  const { number, t } = useI18n();
  return (
    <details>
      <summary>{t('asTable')}</summary>
      <Table
        caption={`${caption}, ${t('asTable')}`}
        heads={[
          `${rowsAre} ↓ ${columnsAre} →`,
          ...labels.map((label) => [label, 'number'] as const),
        ]}
      >
        {cells.map((row, y) => (
          <tr key={labels[y]}>
            <th scope="row">{labels[y]}</th>
            {row.map((count, x) => (
              <td class="number" key={labels[x]}>
                {number(count)}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </details>
  );
}
