/** Entry of the thread that draws reports of screenings. */
import type { ScreeningReport } from '#slices/sanctions';
import { renderScreening } from '../../reports/screeningPdf.ts';

/** Called by Piscina. `text`: the report as JSON. */
export const drawReport = (text: string): Promise<Uint8Array> =>
  renderScreening(JSON.parse(text) as ScreeningReport);
