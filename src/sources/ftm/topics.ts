/**
 * FtM topics to categories, by config/tables/ftm-topics.json: a topic's own row first, then the
 * longest row with a star that begins it. A topic without a row describes an entity (a bank, a
 * journalist, a company of the state) without any risk.
 */
import assert from 'node:assert/strict';
import type { Category } from '#slices/lists';
import table from '../../../config/tables/ftm-topics.json' with { type: 'json' };
import { CATEGORIES } from '../formatWords.ts';

const rows: Readonly<Record<string, string>> = table;
const known = new Map<string, Category | undefined>();

for (const [topic, category] of Object.entries(rows)) {
  assert(
    CATEGORIES.some((one) => one === category),
    `topic table: '${topic}' has no category`,
  );
}

export function categoryOf(topic: string): Category | undefined {
  if (known.has(topic)) return known.get(topic);
  const category = find(topic) as Category | undefined;
  // A file has few topics; the bound keeps a hostile one from growing this.
  if (known.size < 1_000) known.set(topic, category);
  return category;
}

function find(topic: string): string | undefined {
  if (Object.hasOwn(rows, topic)) return rows[topic];
  for (let end = topic.lastIndexOf('.'); end > 0; end = topic.lastIndexOf('.', end - 1)) {
    const star = `${topic.slice(0, end)}.*`;
    if (Object.hasOwn(rows, star)) return rows[star];
  }
  return undefined;
}
