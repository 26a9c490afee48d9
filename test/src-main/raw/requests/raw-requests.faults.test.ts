import { describe, expect, it } from 'vitest'
import type { ServiceClient } from '#main/api/client.ts'
import type { Store } from '#main/database/open-store.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { rawStandardColumns, rawTypes } from '#shared/api/raw-columns.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { InstanceId, RawReportId } from '#shared/values/ids.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { firstId, localStore } from '#test/src-main/database/helpers.ts'
import { draft } from './drafts.ts'
import { listsOf } from './lists-of-client.ts'
import { TickingClock } from './ticking-clock.ts'
import { harnessOver } from './harness.ts'

const account = firstId
const today = day('2026-11-20')
/** How many requests, and how many lives of the app at most to ask them in; more where the environment says so. */
const many = Number(process.env['RAW_REQUESTS'] ?? 120)

/** What tells one order from every other here, whether or not it has a name. */
const keyOf = ({ type, start, standard }: Pick<RawDraft, 'type' | 'standard'> & { start: string | null }) =>
  `${type.toLowerCase()} ${start} ${standard.toSorted().join(' ')}`

const faults = {
  'raw/request': [
    ...[
      { kind: 'reset' },
      { kind: 'delay', milliseconds: 500 },
      { kind: 'cut', after: 0.5 },
      { kind: 'html' },
    ],
    ...[{ kind: 'malformed' }, { kind: 'redirect', to: 'http://127.0.0.1:9/' }],
    ...[401, 429, 500, 502, 503, 504].map((status) => ({ kind: 'status', status, retryAfter: null })),
  ],
  'raw/table': [
    ...[{ kind: 'reset' }, { kind: 'html' }, { kind: 'cut', after: 0.3 }],
    ...[401, 403, 404, 429, 500, 502].map((status) => ({ kind: 'status', status, retryAfter: null })),
  ],
  'raw/report': [{ kind: 'reset' }, { kind: 'status', status: 503, retryAfter: null }, { kind: 'malformed' }],
} as const

describe('requests through faults of the service and ends of the app', () => {
  it('become one report each, and never two', { timeout: 240_000 }, async () => {
    console.log(`requests through faults: PROPERTY_SEED=${seed}, ${many} requests`)
    const random = randomFrom(seed)
    const upTo = (max: number) => Math.floor(random() * max)
    const oneOf = <T>(values: readonly T[]) => values[upTo(values.length)] as T
    const sandbox = await runningSandbox()
    try {
      const clock = new TickingClock()
      const instant = { now: () => clock.time, wait: () => Promise.resolve() }
      const client = sandbox.client({ timeouts: { firstByte: 250, idle: 250, whole: 2000 }, clock: instant })
      const patient = sandbox.client()
      const service = { ...listsOf(sandbox.client({ clock: instant }), clock), client }
      const { instance, seeded } = await beginning(sandbox, patient)

      const stored = new Set<string>()
      const kept = localStore()
      const store: Store = {
        ...kept,
        run: (name, argument) => {
          if (name === 'raw-requests/add' && 'draft' in Object(argument))
            stored.add(keyOf(Object(argument).draft))
          return kept.run(name, argument)
        },
      }
      const orders = Array.from({ length: many }, (_, count) => orderOf(count, instance, random))
      const move = async (milliseconds: number) => {
        clock.move(milliseconds)
        await sandbox.control('POST', '/clock', { advance: milliseconds })
      }

      let asked = 0
      let lives = 0
      while (asked < orders.length) {
        lives += 1
        for (const path of Object.keys(faults) as (keyof typeof faults)[]) {
          if (random() < (path === 'raw/request' ? 0.8 : 0.3))
            await sandbox.fault({ path, times: 1 + upTo(3), does: oneOf<object>(faults[path]) })
        }
        if (random() < 0.1) await sandbox.control('POST', '/tokens', { revoke: 'admin' })
        const brief = random() < 0.5
        const harness = await harnessOver(service, {
          ...{ store, clock },
          ...{ operations: brief ? 1 + upTo(25) : 1_000_000, hearsLast: random() < 0.5 },
        })
        const some = orders.slice(asked, (asked += 1 + upTo(4)))
        for (const each of some) void harness.ask(each).catch(() => undefined)
        await Promise.race([harness.asking.atRest(), harness.died])
        await move(upTo(20_000))
        await service.refresh(account).catch(() => undefined)
        harness.listed(account)
        await Promise.race([harness.asking.atRest(), harness.died])
        harness.abandon()
        await sandbox.control('DELETE', '/faults')
        await sandbox.control('POST', '/tokens', { restore: 'admin' })
      }

      let again = 0
      const harness = await harnessOver(service, { store, clock })
      for (let turn = 0; turn < many * 2; turn += 1) {
        const { requests } = await harness.asking.queue({ account })
        if (requests.length === 0) break
        for (const { id, state } of requests) {
          if (state.kind !== 'unclear' && state.kind !== 'refused') continue
          again += 1
          await harness.asking.sendAgain({ account, request: id })
        }
        await move(61_000)
        await service.refresh(account).catch(() => undefined)
        harness.listed(account)
        await harness.asking.atRest()
      }
      expect((await harness.asking.queue({ account })).requests).toEqual([])

      const made = await madeIn(patient, seeded)
      const lost = (await sandbox.requests()).filter(
        ({ path, status }) => path === 'raw/request' && status !== 200,
      )
      console.log(
        `${lives} lives, ${made.length} reports, ${lost.length} refused or lost, ${again} sent by hand`,
      )
      expect(made.toSorted()).toEqual([...stored].toSorted())
      expect(stored.size).toBeGreaterThan(many / 2)
    } finally {
      await sandbox.close()
    }
  })
})

/** Room for all reports at the sandbox; an instance of its, and the reports that are there already. */
async function beginning(sandbox: RunningSandbox, client: ServiceClient) {
  await sandbox.behave({ raw: { minutes: 1_000_000, concurrency: 4, secondsPerMinute: 5 } })
  const { answer } = await client.call('interface/instances', { all: false, limit: 1 })
  const table = await client.call('raw/table', { limit: 1000 })
  const instance = answer.instances[0]?.id
  if (instance === undefined) throw new Error('The sandbox has no instance')
  return { instance, seeded: new Set(table.answer.rows.map(({ id }) => id)) }
}

/** An order like no other: of its days, or of its columns. Every other one has no name of its own. */
function orderOf(count: number, instance: InstanceId, random: () => number): RawDraft {
  const type = rawTypes[count % 3] ?? 'direct'
  const start = addDays(today, -((count * 7) % 89))
  const columns = rawStandardColumns[type]
  const from = Math.floor(count / 89) % (columns.length - 3)
  const standard = columns.slice(from, from + 3)
  const filters: RawDraft['filters'] =
    random() < 0.5 ? [] : [{ column: standard[0] ?? '', operator: 'contains', value: 'a+b %20é' }]
  const name = count % 2 === 0 ? `Order ${count} / 50%` : ''
  return {
    ...draft,
    type,
    instance,
    start,
    end: start,
    standard,
    filters,
    name,
    additional: random() < 0.5 ? [] : [3, 1],
  }
}

/** Every report that was made since the beginning, by its order; as often as it was made. */
async function madeIn(client: ServiceClient, seeded: ReadonlySet<RawReportId>): Promise<string[]> {
  const { answer } = await client.call('raw/table', { limit: 1000 })
  const keys: string[] = []
  for (const { id } of answer.rows.filter((row) => !seeded.has(row.id))) {
    const { answer: record } = await client.call('raw/report', { raw: id })
    keys.push(
      keyOf({
        type: record.type as RawDraft['type'],
        start: record.start,
        standard: record.columns.standard,
      }),
    )
  }
  return keys
}
