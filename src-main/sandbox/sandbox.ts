import { randomUUID } from 'node:crypto'
import { endpointPaths } from '#shared/api/endpoints.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { Handler } from './contracts/handler.ts'
import { clockFrom } from './control/clock.ts'
import type { SandboxClock } from './control/clock.ts'
import { startControlServer } from './control/server.ts'
import { createSandboxState } from './control/state.ts'
import { createEvents } from './events/index.ts'
import { lookupHandlers } from './lookups/index.ts'
import { startRaw } from './raw/index.ts'
import { startServiceServer } from './server.ts'
import { reportHandlers } from './tables/index.ts'
import { createTokens, tokensOfThisStart } from './tokens.ts'
import type { SandboxTokens } from './tokens.ts'

export type SandboxOptions = {
  /** Any whole number: the same seed and day give the same events, tokens and answers. */
  readonly seed: number
  /** The day it is in the sandbox; events end at noon of it. */
  readonly today: Day
  /** Ports of the service and of the control server; 0 for any free one. */
  readonly port?: number
  readonly controlPort?: number
}

export type SampleOptions = Pick<SandboxOptions, 'seed' | 'port'> & {
  /** The moment at which it starts, in milliseconds since 1970. */
  readonly now: number
}

/** A running service. Addresses have no slash at the end. */
export type SampleSandbox = {
  readonly address: string
  /** The other host, from which raw reports are downloaded. */
  readonly downloadAddress: string
  readonly tokens: SandboxTokens
  readonly close: () => Promise<void>
}

/** The same with the server that switches it. */
export type Sandbox = SampleSandbox & { readonly controlAddress: string }

/** All 27 handlers; throws where one is missing, so that a new endpoint is noticed when the sandbox starts. */
function everyHandler(...parts: readonly ReadonlyMap<string, Handler>[]): Record<EndpointPath, Handler> {
  const all = new Map(parts.flatMap((part) => [...part]))
  const missing = endpointPaths.filter((path) => !all.has(path))
  if (missing.length > 0) throw new RangeError(`The sandbox does not answer ${missing.join(', ')}`)
  return Object.fromEntries(all) as Record<EndpointPath, Handler>
}

/**
 * Starts a sandbox: the service, its download server and the control server, on loopback.
 * @throws the system's error where a port is taken; nothing is left open then
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { state, raw, keep, service } = await start(options, createTokens(options.seed))
  try {
    const control = keep(await startControlServer({ state, raw, port: options.controlPort ?? 0 }))
    return { ...service, controlAddress: control.address }
  } catch (error) {
    await service.close()
    throw error
  }
}

/**
 * Starts the service and its download server alone, as the app shows it: nothing can switch it, and its tokens are of this
 * start. Whatever else runs on the computer reaches loopback too.
 */
export async function createSample({ seed, now, port }: SampleOptions): Promise<SampleSandbox> {
  const today = dayAt(now, 'UTC')
  const world = {
    ...{ seed, today, ...(port !== undefined && { port }) },
    // As a real service: what was requested now was requested now, and nothing has happened that is still to come.
    clock: clockFrom(now, Date.now),
    hoursOver: Math.max(1, new Date(now).getUTCHours()),
    start: randomUUID(),
  }
  return (await start(world, tokensOfThisStart())).service
}

type World = Omit<SandboxOptions, 'controlPort'> & {
  readonly clock?: SandboxClock
  readonly hoursOver?: number
  readonly start?: string
}

async function start({ seed, today, port, clock, hoursOver, start: begun }: World, tokens: SandboxTokens) {
  const events = createEvents(seed, today, hoursOver)
  const state = createSandboxState({ today, ...(clock && { clock }) })
  const opened: { close: () => Promise<void> }[] = []
  const keep = <T extends { close: () => Promise<void> }>(part: T): T => {
    opened.push(part)
    return part
  }
  const close = async () => {
    await Promise.all(opened.map((part) => part.close()))
  }
  try {
    const raw = keep(
      await startRaw({
        ...{ seed, today, rows: events, instances: events.instances, state },
        ...(begun !== undefined && { start: begun }),
      }),
    )
    const rawHandlers = new Map<string, Handler>(Object.entries(raw.handlers))
    const handlers = everyHandler(reportHandlers(events), lookupHandlers(events), rawHandlers)
    const service = keep(await startServiceServer({ handlers, tokens, state }, port ?? 0))
    return {
      ...{ state, raw, keep },
      service: { address: service.address, downloadAddress: raw.downloads, tokens, close },
    }
  } catch (error) {
    await close()
    throw error
  }
}
