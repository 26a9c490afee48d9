import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Account } from '#shared/accounts/account.ts'
import { day, daysOf } from '#shared/values/day.ts'
import { runs } from '#test/helpers/long.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { days, devices, openHarness, shown } from './scopes-harness.ts'
import type { Harness } from './scopes-harness.ts'

/** Two services with the same tokens; the second one judges the same days anew. */
let services: readonly RunningSandbox[]
beforeAll(async () => {
  services = await Promise.all([runningSandbox(), runningSandbox()])
  await services[1]?.behave({ restated: daysOf(days(1, 9)).map((each) => day(each)) })
})
afterAll(() => Promise.all(services.map((each) => each.close())))

const service = (place: number): RunningSandbox => {
  const found = services[place]
  if (!found) throw new RangeError('There is no such service')
  return found
}

/** What the limited token may see, in turn. */
const limits = [
  ['4101', '4189'],
  ['4101', '4117'],
  ['4117', '4101', '4123'],
] as const

type Holder = 'admin' | 'limited'
/** Where figures come from: a service, a token, and what it sees. */
type Source = { readonly place: number; readonly holder: Holder; readonly limit: number }

const nameOf = ({ place, holder, limit }: Source) => `${place} ${holder === 'admin' ? 'all' : limit}`

const limitTo = (limit: number) =>
  Promise.all(services.map((each) => each.control('POST', '/tokens', { limit: [...(limits[limit] ?? [])] })))

const answers = new Map<string, unknown>()

/** What the service itself says. */
async function oracle(source: Source, range: typeof devices.range): Promise<unknown> {
  const key = `${nameOf(source)} ${range.start} ${range.end}`
  if (!answers.has(key)) {
    await limitTo(source.limit)
    const given = { start: range.start, end: range.end, limit: 1000 }
    const { answer } = await service(source.place).client({}, source.holder).call('script/devices', given)
    answers.set(key, { all: answer.table.all?.cells, rows: answer.table.rows.length, total: answer.total })
  }
  return answers.get(key)
}

type Step =
  | { readonly kind: 'token'; readonly holder: Holder }
  | { readonly kind: 'address'; readonly place: number }
  | { readonly kind: 'other instances'; readonly limit: number }
  | { readonly kind: 'ask'; readonly range: typeof devices.range }
  | { readonly kind: 'restart' }

const ranges = fc
  .tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 0, max: 2 }))
  .map(([start, more]) => days(start, start + more))
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('ask' as const), range: ranges }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('token' as const),
      holder: fc.constantFrom<Holder>('admin', 'limited'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('address' as const), place: fc.constantFrom(0, 1) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('other instances' as const), limit: fc.constantFrom(0, 1, 2) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
)

/** One life of an account, with all that was kept for it on the way. */
class Life {
  #world: Harness
  #source: Source = { place: 0, holder: 'admin', limit: 0 }
  #account: Account
  /** What was asked, and so kept, from where. */
  readonly #stored = new Map<string, { readonly source: Source; readonly asked: (typeof devices.range)[] }>()

  constructor(harness: Harness, account: Account) {
    this.#world = harness
    this.#account = account
  }

  async take(step: Step): Promise<void> {
    await limitTo(this.#source.limit)
    const { accounts } = this.#world
    const { id } = this.#account
    switch (step.kind) {
      case 'token': {
        const token = service(this.#source.place).sandbox.tokens[step.holder]
        await accounts.renewToken({ account: id, token, storage: 'keychain' })
        this.#source = { ...this.#source, holder: step.holder }
        return
      }
      case 'address': {
        const { name, bodyEncoding, dayZone, windows } = accounts.account(id)
        const { address, tokens } = service(step.place).sandbox
        const newToken = { token: tokens[this.#source.holder], storage: 'keychain' } as const
        await accounts.edit({ account: id, name, address, bodyEncoding, dayZone, windows, newToken })
        this.#source = { ...this.#source, place: step.place }
        return
      }
      case 'other instances':
        await limitTo(step.limit)
        this.#source = { ...this.#source, limit: step.limit }
        // Whatever is asked next, such as whether the service is there, learns of it.
        await accounts.confirm(id)
        return
      case 'restart': {
        const { folder, keychain, clock } = this.#world
        await this.#world.end()
        this.#world = await openHarness({ folder, keychain, clock })
        return
      }
      case 'ask':
        return this.#ask(step.range)
    }
  }

  async #ask(range: typeof devices.range): Promise<void> {
    expect(await this.#seen(this.#account.id, range)).toEqual(await oracle(this.#source, range))
    const name = nameOf(this.#source)
    const known = this.#stored.get(name) ?? { source: this.#source, asked: [] }
    known.asked.push(range)
    this.#stored.set(name, known)
  }

  /** Every earlier entry reads as it was kept, and nothing was lost: each source's days are under one entry, or live. */
  async check(): Promise<void> {
    await limitTo(this.#source.limit)
    const entries = this.#world.accounts.list().filter((each) => each.kind === 'earlier')
    const others = [...this.#stored].filter(([name]) => name !== nameOf(this.#source))
    const found = new Set<string>()
    for (const { id } of entries) {
      for (const [name, { source, asked }] of others) {
        const seen = await Promise.all(asked.map((range) => this.#seen(id, range).catch(() => null)))
        const said = await Promise.all(asked.map((range) => oracle(source, range)))
        if (isDeepStrictEqual(seen, said)) found.add(name)
      }
    }
    expect([...found].sort()).toEqual(others.map(([name]) => name).sort())
  }

  async #seen(account: Account['id'], range: typeof devices.range) {
    const { all, rows, total, missing } = await shown(this.#world.reports, account, { ...devices, range })
    expect(missing).toEqual([])
    return { all, rows: rows.length, total }
  }
}

it('figures of other tokens, instances and addresses are never added up, in whatever order they come', async () => {
  await checkAsyncProperty(
    'data scopes of figures',
    fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 14 }), async (life) => {
      await limitTo(0)
      const harness = await openHarness()
      const { sandbox } = service(0)
      const account = await harness.accounts.connect({
        ...{ name: 'Acme', address: sandbox.address, token: sandbox.tokens.admin },
        ...{ storage: 'keychain', bodyEncoding: 'json' },
      })
      const living = new Life(harness, account)
      for (const step of life) await living.take(step)
      await living.check()
    }),
    runs(6, 25),
  )
}, 300_000)
