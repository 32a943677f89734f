/** Which of several dates above a heading is the list's. */
import { describe, expect, test } from 'vitest';
import { releaseDateOf } from '../../../src/sources/national/releaseDate.ts';

const LAW = 'Loi organique n° 2015-26 du 7 août 2015 relative à la lutte contre le terrorisme';

describe('release date', () => {
  test.each([
    [[LAW, 'Liste mise à jour le 12/03/2026']],
    [[`Liste mise à jour le 12/03/2026, en application de la ${LAW}`]],
    [['Établie le 01/01/2027 ; mis à jour le 12 mars 2026']],
    [['Actualisée au 12/03/2026', 'Imprimée le 15/03/2026']],
    [['Décret n° 2019-1 du 04/01/2019. Liste arrêtée au 12/03/2026, JORT du 20/03/2026']],
    [['Version du 2026-03-12 (décision du 01/05/2026)']],
    [['Édition du 1er février 2026 ; à jour au 12/03/2026']],
    [['National list as of 12/03/2026, Act of 01/04/2026']],
    [['Updated: 12 March 2026', 'Decree of 1 April 2026']],
    [['القانون عدد 26 لسنة 2015 المؤرخ في 7 أوت 2015', 'تاريخ التحديث: ١٢/٠٣/٢٠٢٦']],
    [['القائمة الوطنية المحينة بتاريخ 12 مارس 2026', 'قرار بتاريخ 1 أفريل 2026']],
    [['القائمة الوطنية بتاريخ 12/03/2026', 'أمر حكومي عدد 419 لسنة 2019 مؤرخ في 17 ماي 2019']],
    [['Liste nationale', 'Tunis, le 01/02/2020', 'Publiée le 12/03/2026']],
    [['Mise à jour le 31/02/2027', 'Mise à jour le 12/03/2026']],
    [['Mise à jour : 05/01/2026', 'Mise à jour : 12/03/2026']],
    [['Emploi : 12/03/2026', 'Loi du 07/08/2026']],
  ])('%j is of 12 March 2026', (titles) => {
    expect(releaseDateOf({ tables: [], titles })).toBe('2026-03-12');
  });

  test('the date of a law dates no list', () => {
    expect(() => releaseDateOf({ tables: [], titles: [LAW] })).toThrow('no release date');
    const rows = [
      { cells: ['Ali', '01/02/2020'], place: 'row 3' },
      { cells: ['Omar', '12/03/2026'], place: 'row 4' },
      { cells: ['Tunis', '12/03/2027'], fault: 'moved', place: 'row 5' },
    ];
    const table = { headings: [], roles: ['name', 'listedOn'] as const, rows };
    expect(releaseDateOf({ tables: [table], titles: [LAW] })).toBe('2026-03-12');
  });
});
