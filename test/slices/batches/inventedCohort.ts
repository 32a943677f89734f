/** Invented subjects for a batch, some of whom are listed. */

/** Every tenth subject is one of these. */
export const LISTED = ['Zorbandule Kelvorth', 'Quellmar Ostrevani', 'Belmuro Tashkandir'] as const;
const GIVEN = ['Anne', 'Boris', 'Carla', 'Dieter', 'Elena', 'Farid', 'Gisela', 'Hugo'];
const FAMILY = ['Abel', 'Brandt', 'Costa', 'Dumont', 'Ek', 'Fontana', 'Gruber', 'Holm', 'Iversen'];

export const externalId = (place: number): string => `c-${String(place).padStart(7, '0')}`;

function nameAt(place: number): string {
  if (place % 10 === 0) return LISTED[(place / 10) % LISTED.length] ?? '';
  const given = GIVEN[place % GIVEN.length];
  return `${given} ${FAMILY[Math.floor(place / GIVEN.length) % FAMILY.length]}`;
}

/** A file of so many subjects, a piece at a time. */
export async function* csvOf(subjects: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('external_id,full_name,type\n');
  for (let from = 0; from < subjects; from += 1_000) {
    const count = Math.min(1_000, subjects - from);
    const rows = Array.from({ length: count }, (_, at) => {
      return `${externalId(from + at)},${nameAt(from + at)},individual\n`;
    });
    yield Buffer.from(rows.join(''));
  }
}
