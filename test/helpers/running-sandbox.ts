import { createSandbox } from '#main/sandbox/sandbox.ts'
import type { Sandbox } from '#main/sandbox/sandbox.ts'
import type { BehaviourChange } from '#main/sandbox/control/server.ts'
import { createServiceClient } from '#main/api/client.ts'
import type { ClientOptions, ServiceClient } from '#main/api/client.ts'
import { AccessToken } from '#main/api/token.ts'
import { day } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'

/** A sandbox with its clients, and its control. */
export type RunningSandbox = {
  readonly sandbox: Sandbox
  /** A client of this sandbox; `holder` says whose token it uses. */
  readonly client: (options?: Partial<ClientOptions>, holder?: keyof Sandbox['tokens']) => ServiceClient
  readonly behave: (change: BehaviourChange) => Promise<void>
  readonly fault: (fault: object) => Promise<void>
  readonly control: (method: string, path: string, body?: object) => Promise<unknown>
  /** The requests that it received, oldest first. */
  readonly requests: () => Promise<readonly { path: string; status: number }[]>
  readonly close: () => Promise<void>
}

/** The day it is in a sandbox, unless it is told another one. */
const usualDay = day('2026-11-20')

/** The time in such a sandbox, about, for what stands beside it: the same on any day. In milliseconds since 1970. */
export const sandboxTime = (): number => Date.parse(`${usualDay}T12:00:00Z`) + Math.floor(performance.now())

/** @param today the real one for processes that read the system's clock beside it */
export async function runningSandbox(today: Day = usualDay): Promise<RunningSandbox> {
  const sandbox = await createSandbox({ seed: 7, today })
  const clients: ServiceClient[] = []
  const control = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${sandbox.controlAddress}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    if (!response.ok) throw new Error(`Control refused ${path}: ${await response.text()}`)
    return response.json()
  }
  // The service's clock is the real one, and tests have clocks of their own.
  await control('POST', '/behaviour', { clockSkew: null })
  return {
    sandbox,
    client: (options = {}, holder = 'admin') => {
      const token = () => Promise.resolve(new AccessToken(sandbox.tokens[holder], sandbox.address))
      const made = createServiceClient({
        address: sandbox.address,
        token,
        bodyEncoding: 'json',
        random: () => 0,
        ...options,
      })
      clients.push(made)
      return made
    },
    behave: async (change) => void (await control('POST', '/behaviour', change)),
    fault: async (fault) => void (await control('POST', '/faults', fault)),
    control,
    requests: async () => {
      const { requests } = (await control('GET', '/requests')) as {
        requests: { path: string; status: number }[]
      }
      return requests
    },
    close: async () => {
      await Promise.all(clients.map((each) => each.close()))
      await sandbox.close()
    },
  }
}
