/** Clients and quarters in one typed array, against a set of texts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClientQuarters, QUARTERS_MAX } from '#slices/risk';

test('says once of each client and quarter that it is new, while it grows', () => {
  const ids = fc.uniqueArray(fc.uuid(), { maxLength: 2_000, minLength: 1_500 });
  const asks = fc.array(fc.tuple(fc.nat(), fc.nat({ max: QUARTERS_MAX - 1 })), {
    maxLength: 4_000,
    minLength: 3_000,
  });
  fc.assert(
    fc.property(ids, asks, (clients, asked) => {
      const seen = new ClientQuarters();
      const known = new Set<string>();
      for (const [at, quarter] of asked) {
        const id = clients[at % clients.length] ?? '';
        const key = `${id} ${quarter}`;
        if (seen.add(id, quarter) === known.has(key)) return false;
        known.add(key);
      }
      const clientsSeen = new Set([...known].map((key) => key.split(' ', 1)[0]));
      return seen.clients === clientsSeen.size;
    }),
    { numRuns: 20 },
  );
  expect(() => new ClientQuarters().add('no uuid', 0)).toThrow();
});
