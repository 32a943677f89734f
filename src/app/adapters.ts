/**
 * The adapters beside the slices, by the names under which slices need them: engine, sources,
 * reports. Each module exports its adapter by that name, and is loaded by the first call.
 */
export const ADAPTERS = {
  answerThread: () => import('./adapters/answerThread.ts'),
  chunkEngine: () => import('./adapters/chunkEngine.ts'),
  compareNames: () => import('./adapters/compareNames.ts'),
  drawBacktest: () => import('../reports/index.ts'),
  drawReport: () => import('../reports/index.ts'),
  entryThread: () => import('./adapters/entryThread.ts'),
  eventThread: () => import('./adapters/eventThread.ts'),
  hitExplainer: () => import('./adapters/hitExplainer.ts'),
  indexTools: () => import('./adapters/indexTools.ts'),
  listSources: () => import('./adapters/listSources.ts'),
  messageThread: () => import('./adapters/messageThread.ts'),
  renderAttestation: () => import('../reports/index.ts'),
  reportThread: () => import('./adapters/reportThread.ts'),
  resultThread: () => import('./adapters/resultThread.ts'),
  romaniseWords: () => import('./adapters/romaniseWords.ts'),
  screeningEngine: () => import('./adapters/screeningEngine.ts'),
  textThread: () => import('./adapters/textThread.ts'),
  writeReports: () => import('../reports/index.ts'),
} as const;
