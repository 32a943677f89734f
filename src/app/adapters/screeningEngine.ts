/** The engine of a gateway, as screening needs it. */
import { createEngine, type EngineOptions } from '#engine';
import type { ScreeningEngine } from '#slices/screening';

export const screeningEngine = async (of: EngineOptions): Promise<ScreeningEngine> =>
  createEngine(of);
