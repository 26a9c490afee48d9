import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Store } from '#main/database/open-store.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { connectLimited, days, devices, few, limitTo, more, openHarness, shown } from './scopes-harness.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())

const limit = (instances: readonly string[]) => limitTo(running, instances)
beforeEach(() => limit(few))

async function truth(instances: readonly string[]) {
  await limit(instances)
  const { start, end } = devices.range
  return (await running.client({}, 'limited').call('script/devices', { start, end, limit: 1000 })).answer
    .total
}

/** Something that is waited for until the test says so. */
function gate() {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

/** Answered by stored tables, or by the service's page of this very query. */
const page = { ...devices, whole: false }

/** What a query does in the store while it is computed from stored tables. */
const steps = ['tables/list', 'restatements/marks', 'answers/read', 'answers/keep'] as const

it.each(steps)(
  'what was computed of one scope is not stored as the next one’s, where %s takes as long as the change',
  async (held) => {
    const after = await truth(more)
    await limit(few)
    const [taken, over] = [gate(), gate()]
    let isArmed = false
    const wrap = (store: Store): Store => ({
      ...store,
      run: async (name, argument) => {
        if (isArmed && name === held) await taken.opened
        // What follows the change waits for what was computed before it, unless that has been told of the change.
        if (isArmed && name === 'data-scopes/with-figures') await over.opened
        const result = await store.run(name, argument)
        if (isArmed && name === 'data-scopes/take') taken.open()
        if (isArmed && name === 'answers/keep') over.open()
        return result
      },
    })
    const harness = await openHarness({ wrap })
    harness.events.on('account/other-data-scope', () => over.open())
    const id = await connectLimited(harness, running)
    for (const range of [days(1, 3), days(4, 6)]) await shown(harness.reports, id, { ...devices, range })
    await harness.accounts.confirm(id)
    await limit(more)
    isArmed = true
    const question = shown(harness.reports, id, page)
    await harness.accounts.confirm(id)
    await question
    isArmed = false
    for (let look = 1; look <= 2; look += 1)
      expect((await shown(harness.reports, id, page)).total).toEqual(after)
    const dataScope = harness.accounts.dataScopeOf(id)
    const stored = await harness.store.run('answers/newest', { dataScope, path: 'script/devices', max: 10 })
    for (const { text } of stored) expect(JSON.parse(text)).toMatchObject({ total: { good: after.good } })
  },
)

it('a change of scope is told of before anything else is looked after', async () => {
  const { open, opened } = gate()
  const wrap = (store: Store): Store => ({
    ...store,
    run: async (name, argument) => {
      if (name === 'data-scopes/with-figures') await opened
      return await store.run(name, argument)
    },
  })
  const harness = await openHarness({ wrap })
  const id = await connectLimited(harness, running)
  const told = new Promise<void>((resolve) => harness.events.on('account/other-data-scope', () => resolve()))
  await limit(more)
  const checked = harness.accounts.confirm(id)
  await told
  expect(harness.accounts.list()).toHaveLength(2)
  open()
  await checked
  // Of the one before nothing was stored.
  expect(harness.accounts.list()).toHaveLength(1)
})
