import * as v from 'valibot'
import { dayToWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { RunningSandbox } from '../helpers/sandbox.ts'

const requested = v.object({ success: v.literal(true), id: v.string() })
const instances = v.object({ instances: v.array(v.object({ id: v.union([v.number(), v.string()]) })) })
const done = v.object({ success: v.literal(true) })
const table = v.object({ table: v.object({ rows: v.array(v.object({ id: v.string() })) }) })
const download = v.object({ url: v.string() })

export type Wanted = {
  readonly name: string
  /** How it ends; a report becomes ready unless told otherwise. */
  readonly end?: 'fail' | 'time-out'
  /** How long it takes, in minutes of the sandbox's clock. */
  readonly minutes?: number
}

/** Another program that uses the same account of the service: what it does, the desk finds out by itself. */
export type OtherClient = {
  /** @returns the new report's id */
  readonly request: (wanted: Wanted) => Promise<string>
  /** The id of the report that is found by these words. */
  readonly idOf: (words: string) => Promise<string>
  readonly cancel: (report: string) => Promise<void>
  readonly remove: (report: string) => Promise<void>
  /** A report's archive, as anybody gets it. */
  readonly archive: (report: string) => Promise<Buffer>
}

/** @param day of which its reports tell, in the sandbox's calendar */
export function otherClient({ address, tokens, control }: RunningSandbox, day: Day): OtherClient {
  async function ask(path: string, given: object): Promise<unknown> {
    const answer = await fetch(`${address}/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: tokens.admin, ...given }),
    })
    return await answer.json()
  }

  return {
    request: async ({ name, end, minutes = 30 }) => {
      if (end) await control('POST', '/raw', { next: end })
      await control('POST', '/behaviour', {
        raw: { concurrency: 1000, minutes: 100_000, secondsPerMinute: minutes * 60 },
      })
      const [instance] = v.parse(instances, await ask('interface/instances', { all: false })).instances
      const when = { start: dayToWire(day), end: dayToWire(day) }
      const order = { type: 'direct', instance: String(instance?.id), ...when, name, send_email: false }
      // Few rows, so that a report takes one processing minute.
      const filters = [{ column: 'country', operator: 'equals', value: 'Nowhere' }]
      const answer = await ask('raw/request', { ...order, standard: ['country'], filters })
      return v.parse(requested, answer).id
    },
    idOf: async (search) => {
      const [row, ...others] = v.parse(table, await ask('raw/table', { search })).table.rows
      if (!row || others.length > 0) throw new Error(`Not one report has the words ${search}`)
      return row.id
    },
    cancel: async (raw) => void v.parse(done, await ask('raw/cancel', { raw })),
    remove: async (raw) => void v.parse(done, await ask('raw/remove', { raw })),
    archive: async (raw) => {
      const { url } = v.parse(download, await ask('raw/download', { raw }))
      const archive = await fetch(decodeURIComponent(url.replaceAll('+', ' ')))
      return Buffer.from(await archive.arrayBuffer())
    },
  }
}
