/** What a gateway serves for the console: its files, its sign-in, and its way to the operations. */
import { localRefusal } from '#slices/console';
import type { Operation } from '../../../api/operation.ts';
import type { Door, PublicPage } from '../../../api/ports.ts';
import type { GatewayProcess } from '../../processes.ts';
import { authPages } from './authPages.ts';
import type { ConsoleCalls } from './browserCall.ts';
import { consoleDoor } from './door.ts';
import { filePages } from './filePages.ts';
import { consolePartsOf } from './parts.ts';

/** The console calls those of all slices. */
export const operations = (): readonly Operation[] => [];

const isOff = ({ config }: GatewayProcess): boolean => config.console === 'off';

export const pages = (process: GatewayProcess): readonly PublicPage[] =>
  isOff(process) ? [] : [...filePages(), ...authPages(callsOf(process))];

export const doors = (process: GatewayProcess): readonly Door[] =>
  isOff(process) ? [] : [consoleDoor(callsOf(process))];

const callsOf = (process: GatewayProcess): ConsoleCalls => ({
  isByProvider: process.config.oidc?.client !== undefined,
  isSecure: () => process.origin().startsWith('https:'),
  originAt: (host) => {
    const { sandbox } = process.config.origins;
    const isSandbox = sandbox !== undefined && new URL(sandbox).host === host?.toLowerCase();
    return isSandbox ? sandbox : process.origin();
  },
  ports: () => consolePartsOf(process),
  refusal: localRefusal(process.config),
});

/** A secret of the client that cannot be read stops the start. */
export const open = async (process: GatewayProcess): Promise<void> => {
  if (!isOff(process)) consolePartsOf(process);
};
