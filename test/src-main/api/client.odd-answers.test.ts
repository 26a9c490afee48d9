import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Forgiven } from '#main/api/decode/json.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import { lifeOf } from '#shared/raw/list.ts'
import { day } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { failureOfCall, week } from '#test/helpers/service-client.ts'

let running: RunningSandbox

beforeAll(async () => {
  running = await runningSandbox()
  await running.behave({ raw: { minutes: 10_000, concurrency: 100, secondsPerMinute: 1 } })
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.behave({ raw: { notHappened: 'null' }, oddEntries: 'none' })
  await running.control('DELETE', '/faults')
})

/** A client that keeps what it forgave. */
function forgiving() {
  const forgiven = new Set<Forgiven>()
  const client = running.client({
    forgave: (kinds) => {
      for (const kind of kinds) forgiven.add(kind)
    },
  })
  return { client, forgiven }
}

const deprecated =
  '<br />\n<b>Deprecated</b>:  strlen(): Passing null is deprecated in <b>/srv/app.php</b> on line <b>7</b><br />\n'

describe('zero dates in the list of raw reports', () => {
  it.each(['0000-00-00 00:00:00', '-0001-11-30T00:00:00+00:00', '0', '1970-01-01T00:00:00Z'] as const)(
    'are moments that have not happened: %s',
    async (notHappened) => {
      const { client, forgiven } = forgiving()
      const { answer: requested } = await client.call('raw/request', {
        ...{ type: 'request', instance: '4101', start: day('2026-11-14'), end: day('2026-11-14') },
        ...{ standard: ['source'], send_email: false },
      })
      const before = await client.call('raw/table', { limit: 1000 })
      await running.behave({ raw: { notHappened } })
      const { answer } = await client.call('raw/table', { limit: 1000 })
      const endings = (rows: readonly RawListRow[]) =>
        rows.map(({ id, failed, timed_out, cancelled }) => ({ id, failed, timed_out, cancelled }))
      expect(endings(answer.rows)).toEqual(endings(before.answer.rows))
      const own = answer.rows.find(({ id }) => id === requested.id)
      expect(own && lifeOf(own).state).toMatch(/^(?:in-progress|ready)$/)
      expect([...forgiven]).toEqual(['zero-date'])
      if (requested.id === null) throw new Error('No id')
      const record = await client.call('raw/report', { raw: requested.id })
      expect(record.answer.failed).toBeNull()
    },
  )
})

describe('text before an answer', () => {
  it('of any endpoint makes no difference', async () => {
    const { client, forgiven } = forgiving()
    const ask = async () => [
      (await client.call('script/browsers', week)).answer,
      (await client.call('direct/overview', { ...week, chart: true })).answer,
      (await client.call('interface/instances', { limit: 5 })).answer,
      (await client.call('interface/sources', week)).answer,
      // Reports go on being made meanwhile.
      (await client.call('raw/table', {})).answer.rows.map(({ id }) => id),
    ]
    const plain = await ask()
    await running.fault({ times: null, does: { kind: 'text-before', text: deprecated } })
    expect(await ask()).toEqual(plain)
    expect([...forgiven]).toEqual(['text-around'])
  })

  it('is quoted where no answer can be read behind it, without tags and token', async () => {
    const token = running.sandbox.tokens.admin
    const text = `<br />\n<b>Warning</b>:  {$token = "${token}" `
    await running.fault({ path: 'script/browsers', does: { kind: 'text-before', text } })
    const failure = await failureOfCall(running.client().call('script/browsers', week))
    expect(failure).toMatchObject({ kind: 'malformed' })
    expect(failure.message).toContain('it begins with “Warning :” and is no valid JSON')
    expect(failure.message).not.toContain(token)
  })

  it('is quoted where it stands alone', async () => {
    const text = '<br /><b>Fatal error</b>: Allowed memory size exhausted'
    await running.fault({ times: 1, does: { kind: 'text-before', text: `${text} {` } })
    expect((await failureOfCall(running.client().call('direct/overview', week))).message).toContain(
      '“Fatal error : Allowed memory size exhausted”',
    )
  })
})

describe('odd rows and entries', () => {
  it.each(['null', 'without-id'] as const)(
    'are left out and counted, the others are there: %s',
    async (odd) => {
      const { client, forgiven } = forgiving()
      const lists = async () => ({
        instances: (await client.call('interface/instances', { all: false, limit: 1000 })).answer,
        sources: (await client.call('interface/sources', { ...week, limit: 1000 })).answer,
        table: (await client.call('script/browsers', { ...week, limit: 1000 })).answer,
      })
      const plain = await lists()
      await running.behave({ oddEntries: odd })
      const read = await lists()
      const isThird = (_: unknown, place: number) => place % 3 === 2
      const others = <T>(all: readonly T[]) => all.filter((one, place) => !isThird(one, place))
      expect(read.instances.instances).toEqual(others(plain.instances.instances))
      expect(read.instances.unreadable).toBe(plain.instances.instances.filter(isThird).length)
      expect(read.sources.sources).toEqual(others(plain.sources.sources))
      expect(read.table.table.rows).toEqual(others(plain.table.table.rows))
      expect(read.table.total).toEqual(plain.table.total)
      expect(read.table.unreadable).toEqual({
        rows: plain.table.table.rows.filter(isThird).length,
        headers: [],
      })
      expect([...forgiven]).toEqual(['odd-entry'])
    },
  )

  it('keep what is not odd about them', async () => {
    const { client } = forgiving()
    const ask = async () => (await client.call('script/browsers', { ...week, limit: 1000 })).answer
    const plain = await ask()
    await running.behave({ oddEntries: 'object-inside' })
    const read = await ask()
    expect(read.table.rows.map(({ label }) => label)).toEqual(plain.table.rows.map(({ label }) => label))
    expect(read.table.rows[2]?.cells).toEqual([null, ...(plain.table.rows[2]?.cells.slice(1) ?? [])])
    expect(read.unreadable).toEqual({ rows: 0, headers: ['Requests'] })
    const { answer } = await client.call('interface/instances', { all: false, limit: 1000 })
    expect(answer.instances[2]?.name).toBe(answer.instances[2]?.id)
  })
})
