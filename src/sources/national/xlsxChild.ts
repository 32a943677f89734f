/** Entry of the process that reads one spreadsheet (rowsAside.ts). */
import { serveBounded } from '#platform/boundedChild';
import { xlsxRows } from './xlsxRows.ts';

await serveBounded(xlsxRows);
