import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AccessToken } from '#main/api/token.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import { answersOddly } from '#test/helpers/odd-answers.ts'
import type { Oddly } from '#test/helpers/odd-answers.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { listsOf } from './lists-of-client.ts'
import { TickingClock } from './ticking-clock.ts'
import { tirelessForAll } from './tireless-sandbox.ts'
import { harnessOver } from './harness.ts'

const sandbox = tirelessForAll()
let odd: Awaited<ReturnType<typeof answersOddly>>

beforeAll(async () => {
  odd = await answersOddly(sandbox.running.sandbox.address)
})
afterAll(() => odd.close())

const reports = async (): Promise<readonly RawReportId[]> => {
  const { answer } = await sandbox.client.call('raw/table', { limit: 1000 })
  return answer.rows.map(({ id }) => id)
}

const ways: readonly Oddly[] = [
  ...[200, 201, 202, 203, 204, 206, 303, 500].map((status) => ({ kind: 'status', status }) as const),
  ...[200, 201, 202, 204, 205].map((status) => ({ kind: 'bare', status }) as const),
  // What was made is told, in words that come with a failure elsewhere.
  ...[
    { success: true, id: null, error: 'The mail could not be sent' },
    { success: 'true', id: 'r1', error: 'The mail could not be sent' },
    { success: 1, id: 'r1', error: null },
  ].map((body) => ({ kind: 'body', body: JSON.stringify(body) }) as const),
  { kind: 'drop' },
]

/** Text before the answer: behind the last one, no answer can be read any more. */
const before = ['<br />\n<b>Deprecated</b>: strlen() in <b>/srv/app.php</b><br />\n', '\uFEFF', 'Warning: {']

describe('an order that the service takes', () => {
  it.each(before)('is never refused and never sent twice for text before its answer: %j', async (text) => {
    const clock = new TickingClock()
    const instant = { now: () => clock.time, wait: () => Promise.resolve() }
    const client = sandbox.running.client({ clock: instant })
    const earlier = await reports()
    await sandbox.running.fault({ path: 'raw/request', does: { kind: 'text-before', text } })
    const { ask, asking } = await harnessOver({ ...listsOf(client, clock), client }, { clock })
    const outcome = await ask({ instance: sandbox.instance, name: '' })
    const made = (await reports()).filter((id) => !earlier.includes(id))
    expect(made).toHaveLength(1)
    expect(outcome).toEqual({ kind: 'report', report: made[0] })
    expect((await asking.queue({ account: firstId })).requests).toEqual([])
  })

  it.each(ways)('is never sent twice, however that is answered: %j', async (way) => {
    const clock = new TickingClock()
    const { address } = odd
    const instant = { now: () => clock.time, wait: () => Promise.resolve() }
    const token = new AccessToken(sandbox.running.sandbox.tokens.admin, address)
    const client = sandbox.running.client({ address, clock: instant, token: () => Promise.resolve(token) })
    const before = await reports()
    odd.be({ 'raw/request': way })
    const asked = odd.requests.filter(({ path }) => path.endsWith('raw/request')).length
    const { ask, asking } = await harnessOver({ ...listsOf(client, clock), client }, { clock })
    const outcome = await ask({ instance: sandbox.instance, name: '' })
    const made = (await reports()).filter((id) => !before.includes(id))
    expect(made).toHaveLength(1)
    expect(outcome).toEqual({ kind: 'report', report: made[0] })
    expect((await asking.queue({ account: firstId })).requests).toEqual([])
    expect(odd.requests.filter(({ path }) => path.endsWith('raw/request'))).toHaveLength(asked + 1)
  })
})
