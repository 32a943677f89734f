/**
 * Query time over the size of the list as an SVG: both axes logarithmic, a line and its fitted
 * power per series. Written by hand, so that a picture needs no library; legible on light and dark.
 */

/** One list's figures. */
export interface GrowthPoint {
  /** Entities. */
  readonly count: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

const WIDTH = 720;
const HEIGHT = 420;
const MARGIN = { left: 64, right: 150, top: 40, bottom: 48 };
const SERIES = [
  { name: 'p95', colour: '#d9822b' },
  { name: 'p50', colour: '#2b7bd9' },
] as const;

/** b of y = a · x^b by least squares on the logarithms; 0 with fewer than two points. */
export function fitExponent(points: readonly Place[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(Math.max(y, 1e-6)) }));
  const mean = (of: (place: Place) => number) =>
    logs.reduce((sum, place) => sum + of(place), 0) / Math.max(1, logs.length);
  const x = mean((place) => place.x);
  const y = mean((place) => place.y);
  const above = logs.reduce((sum, place) => sum + (place.x - x) * (place.y - y), 0);
  const below = logs.reduce((sum, place) => sum + (place.x - x) ** 2, 0);
  return below === 0 ? 0 : above / below;
}

/** Powers of ten around the values. */
function decades(values: readonly number[]): number[] {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.ceil(Math.log10(Math.max(...values)));
  return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at));
}

function label(value: number): string {
  if (value >= 1e6) return `${value / 1e6}M`;
  if (value >= 1e3) return `${value / 1e3}k`;
  return String(Number(value.toPrecision(3)));
}

/** Value → place on one axis. */
function axis(ticks: readonly number[], from: number, to: number): (value: number) => number {
  const low = Math.log10(ticks[0] ?? 1);
  const high = Math.log10(ticks.at(-1) ?? 10);
  const span = Math.max(high - low, 1e-9);
  return (value) => Math.round((from + ((Math.log10(value) - low) / span) * (to - from)) * 10) / 10;
}

function text(at: Place, content: string, more = ''): string {
  return `<text x="${at.x}" y="${at.y}"${more}>${content}</text>`;
}

/** The whole picture. */
export function drawGrowth(points: readonly GrowthPoint[]): string {
  const right = WIDTH - MARGIN.right;
  const bottom = HEIGHT - MARGIN.bottom;
  const xTicks = decades(points.map(({ count }) => count));
  const yTicks = decades(points.flatMap(({ p50, p95 }) => [p50, p95].map((ms) => ms || 1e-3)));
  const x = axis(xTicks, MARGIN.left, right);
  const y = axis(yTicks, bottom, MARGIN.top);
  const grid = [
    ...xTicks.map((tick) => line(x(tick), MARGIN.top, x(tick), bottom)),
    ...yTicks.map((tick) => line(MARGIN.left, y(tick), right, y(tick))),
  ];
  const labels = [
    ...xTicks.map((tick) =>
      text({ x: x(tick), y: bottom + 20 }, label(tick), ' text-anchor="middle"'),
    ),
    ...yTicks.map((tick) =>
      text({ x: MARGIN.left - 8, y: y(tick) + 4 }, label(tick), ' text-anchor="end"'),
    ),
    text({ x: (MARGIN.left + right) / 2, y: HEIGHT - 8 }, 'entities', ' text-anchor="middle"'),
    text({ x: MARGIN.left, y: 22 }, 'one query, one thread, milliseconds'),
  ];
  const curves = SERIES.flatMap(({ name, colour }) => {
    const places = points.map((point) => ({ x: point.count, y: point[name] || 1e-3 }));
    const drawn = places.map((place) => ({ x: x(place.x), y: y(place.y) }));
    const last = drawn.at(-1) ?? { x: right, y: bottom };
    const exponent = fitExponent(places).toFixed(2);
    return [
      `<polyline fill="none" stroke="${colour}" stroke-width="2.5" points="${drawn
        .map((place) => `${place.x},${place.y}`)
        .join(' ')}"/>`,
      ...drawn.map((place) => `<circle cx="${place.x}" cy="${place.y}" r="4" fill="${colour}"/>`),
      text({ x: last.x + 10, y: last.y + 4 }, `${name}: N^${exponent}`, ` fill="${colour}"`),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}"`,
    ' font-family="system-ui, sans-serif" font-size="13" fill="#777">',
    '<title>Query time over the number of entities</title>',
    ...grid,
    ...labels,
    ...curves,
    '</svg>',
    '',
  ].join('\n');
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#777" stroke-opacity="0.3"/>`;
}
