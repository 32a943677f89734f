/** `cluster status` and `cluster alerts`: the state of the installation at the command line. */
import { EXIT } from '../../../cli/command.ts';
import { printable, table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';

export const commands: readonly SliceCommand[] = [
  {
    words: 'cluster status',
    summary: 'Show processes and indexes of the installation; exit 1 where it is red',
    options: [],
    example: 'cluster status',
    async run({ open, output }) {
      const { lookAtCluster } = await import('#slices/vitals');
      const { lookPortsOf } = await import('./parts.ts');
      const { presentIndexes, presentNodes } = await import('./presentation.ts');
      const looked = await lookAtCluster(lookPortsOf(await open()));
      const { reasons, status } = looked.verdict;
      const nodes = presentNodes(looked.verdict.nodes, true);
      const indexes = presentIndexes(looked);
      const lines = nodes.map((node) => [
        printable(node.node_id),
        node.role,
        node.version,
        `${node.heartbeat_age_s} s`,
        `${node.memory_mb ?? '–'} MB`,
      ]);
      const lists = indexes.map((index) => [
        index.source,
        index.list_version,
        String(index.entities),
        `${index.loaded_on}/${index.expected_on}`,
      ]);
      const text = [
        [status, ...reasons].join('\n  '),
        table(['NODE', 'ROLE', 'VERSION', 'HEARD', 'MEMORY'], lines),
        table(['LIST', 'VERSION', 'ENTITIES', 'LOADED'], lists),
      ];
      output.result({ indexes, nodes, reasons, status }, text.join('\n\n'));
      return status === 'red' ? EXIT.bad : EXIT.done;
    },
  },
  {
    words: 'cluster alerts',
    summary: 'Show what is wrong with the installation or its tenants, the gravest first',
    options: [],
    example: 'cluster alerts',
    async run({ open, output }) {
      const { openConditions } = await import('#slices/notifications');
      const { openTroubles } = await import('#slices/vitals');
      const { presentAlerts } = await import('./presentation.ts');
      const { tables } = (await open()).storage;
      const conditions = await openConditions(tables, { kind: 'alert' });
      const alerts = presentAlerts(await openTroubles(tables), conditions);
      const lines = alerts.map((one) => [
        one.severity,
        one.code,
        printable(`${one.subject.kind} ${one.subject.id}`),
        one.since,
        one.runbook,
      ]);
      const head = ['SEVERITY', 'CODE', 'ABOUT', 'SINCE', 'RUNBOOK'];
      output.result({ alerts }, alerts.length === 0 ? 'nothing is wrong' : table(head, lines));
      return EXIT.done;
    },
  },
];
