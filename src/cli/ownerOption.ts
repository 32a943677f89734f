/** Whose data a command works on. */
import type { CommandOption } from './command.ts';

export const TENANT: CommandOption = {
  name: 'tenant',
  value: 'ID',
  required: true,
  help: "the tenant's id",
};
