/**
 * `screen`: one name against the lists in force, on this machine's own engine. What does it is
 * loaded when it is called, so that the help loads neither schemas nor engine.
 */
import type { SliceCommand } from '../../processes.ts';

export const commands: readonly SliceCommand[] = [
  {
    words: 'screen',
    summary: 'Screen one name against the lists in force, with its evidence',
    positionals: [{ help: 'in any script; in quotes where it is several words', name: 'NAME' }],
    options: [
      { help: 'YYYY-MM-DD, YYYY-MM or YYYY', name: 'dob', value: 'DATE' },
      { help: 'ISO 3166-1 alpha-2', name: 'nationality', value: 'CC' },
      { help: 'Person or Company; else both are sought', name: 'type', value: 'T' },
      { help: 'for example OFAC,UN; else all that are in force', name: 'lists', value: 'A,B' },
      { help: 'your own id of the customer', name: 'subject', value: 'REF' },
      { help: 'watch the customer of --subject, with every list that changes', name: 'monitor' },
      {
        help: 'by whose policy; needed where there are several tenants',
        name: 'tenant',
        value: 'ID',
      },
      { help: 'say why each hit has its score', name: 'explain' },
    ],
    example: 'screen "Velmorani, Tarek" --dob 1971-03-14 --explain',
    async run(process, given) {
      const { runScreen } = await import('./screenCommand.ts');
      return runScreen(process, given);
    },
  },
];
