/** Filters that a person gave a name, as a browser keeps them. */
export interface SavedFilter {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
}

/** What is kept may be of another time, or of nobody's making: what is no filter is left out. */
export function readFilters(text: string): readonly SavedFilter[] {
  const kept = parsed(text);
  return Array.isArray(kept) ? kept.filter(isFilter) : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isFilter = (value: unknown): value is SavedFilter =>
  isObject(value) &&
  typeof value.name === 'string' &&
  isObject(value.query) &&
  Object.values(value.query).every((one) => typeof one === 'string');
