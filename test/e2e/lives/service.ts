import * as v from 'valibot'
import { addDays, dayAt, dayToWire } from '#shared/values/day.ts'
import type { RunningSandbox } from '../helpers/sandbox.ts'

const text = v.string()
const moment = v.nullable(v.string())
const listed = v.object({
  table: v.object({
    rows: v.array(
      v.object({
        id: text,
        name: text,
        created: moment,
        failed: moment,
        timed_out: moment,
        cancelled: moment,
      }),
    ),
  }),
})
const requested = v.object({ id: text })
const instances = v.object({ instances: v.array(v.object({ id: v.union([text, v.number()]) })) })
const asked = v.object({ requests: v.array(v.object({ path: text })) })

/** How a report ended; null while it runs. */
export type End = 'ready' | 'failed' | 'timed-out' | 'cancelled' | null

/** A raw report as the service itself has it. */
export type ServiceReport = { readonly id: string; readonly name: string; readonly end: End }

/** The service by its own addresses: what others do there, and what is true. */
export function serviceOf({ address, tokens, control }: RunningSandbox) {
  const ask = async (path: string, given: object = {}): Promise<unknown> => {
    const answer = await fetch(`${address}/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: tokens.admin, ...given }),
    })
    if (!answer.ok) throw new Error(`The sandbox answered ${answer.status}: ${await answer.text()}`)
    return await answer.json()
  }
  const yesterday = dayToWire(addDays(dayAt(Date.now(), 'UTC'), -1))
  return {
    /** Asks for a report. @returns its id */
    request: async (name: string, end?: 'fail' | 'time-out'): Promise<string> => {
      if (end) await control('POST', '/raw', { next: end })
      const [instance] = v.parse(instances, await ask('interface/instances', { all: false })).instances
      const days = { start: yesterday, end: yesterday }
      const given = { type: 'direct', instance: instance?.id, ...days, standard: ['source'], name }
      return v.parse(requested, await ask('raw/request', { ...given, send_email: false })).id
    },
    cancel: (id: string) => ask('raw/cancel', { raw: id }),
    remove: (id: string) => ask('raw/remove', { raw: id }),
    /** Every report there is, as it is. The list must not be spoilt meanwhile. */
    reports: async (): Promise<readonly ServiceReport[]> => {
      const { rows } = v.parse(listed, await ask('raw/table', { limit: 1000 })).table
      return rows.map(({ id, name, ...ends }) => ({
        id,
        name: decodeURIComponent(name.replaceAll('+', ' ')),
        end: endOf(ends),
      }))
    },
    /** How often a path was asked for, by whomever. */
    asked: async (path: string): Promise<number> =>
      v.parse(asked, await control('GET', '/requests')).requests.filter((each) => each.path === path).length,
  }
}

export type Service = ReturnType<typeof serviceOf>

type Ends = Readonly<Record<'created' | 'failed' | 'timed_out' | 'cancelled', string | null>>

function endOf({ created, failed, timed_out, cancelled }: Ends): End {
  if (cancelled !== null) return 'cancelled'
  if (failed !== null) return 'failed'
  if (timed_out !== null) return 'timed-out'
  return created === null ? null : 'ready'
}
