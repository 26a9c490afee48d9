import { engineClient } from '#main/analytics/engine-client.ts'
import type { EngineClient, EngineOptions } from '#main/analytics/engine-client.ts'
import type { EngineCalls } from './table-calls.ts'

/** The DuckDB process, for stored tables. */
export type Engine = EngineClient<EngineCalls>

export const startEngine = (options: EngineOptions): Engine =>
  engineClient('engine', "Can't compute the figures. Try again.", options)
