import { afterAll, beforeAll } from 'vitest'
import type { ServiceClient } from '#main/api/client.ts'
import type { RawDraftFilter } from '#shared/raw/draft.ts'
import type { RawFilter } from '#shared/api/parameters.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'

/** A sandbox without limits to what may be asked for: there as soon as tests run. */
export type TirelessSandbox = {
  readonly running: RunningSandbox
  readonly client: ServiceClient
  /** One of which reports may be asked for. */
  readonly instance: InstanceId
}

/** Begins such a sandbox for the tests of a group. */
export function tirelessForAll(): TirelessSandbox {
  let running: RunningSandbox
  let client: ServiceClient
  let instance: InstanceId
  beforeAll(async () => {
    running = await runningSandbox()
    await running.behave({ raw: { minutes: 1_000_000, concurrency: 1_000_000, secondsPerMinute: 1 } })
    client = running.client()
    const { answer } = await client.call('interface/instances', { all: false, limit: 100 })
    const last = answer.instances.at(-1)?.id
    if (last === undefined) throw new Error('The sandbox has no instance')
    instance = last
  })
  afterAll(() => running.close())
  return {
    get running() {
      return running
    },
    get client() {
      return client
    },
    get instance() {
      return instance
    },
  }
}

/** A filter exactly as it was filled in: what the form would leave out is sent too. */
export const asFilledIn = ({ column, operator, value }: RawDraftFilter): RawFilter => ({
  column,
  ...(operator !== null && { operator }),
  ...(value !== '' && { value }),
})
