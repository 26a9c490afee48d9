import * as v from 'valibot'
import { expect, it } from 'vitest'
import { answerCall } from '../../src-main/bridge/gateway.ts'
import type { Handlers } from '../../src-main/bridge/handlers.ts'
import { isOurs } from '../../src-main/bridge/sender.ts'
import { calls } from '../../src-shared/bridge/calls.ts'
import type { CallName } from '../../src-shared/bridge/calls.ts'
import { plainTable } from '../../src-shared/reports/query.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { mutateText, mutateValue } from './mutate.ts'

const names = Object.keys(calls) as CallName[]
const secret = 'tok-5e15a-not-to-be-repeated'
const account = '0b8e7e53-9d0e-4f1c-9a43-3e7f5a1f2b6c'
const range = { start: '2026-11-01', end: '2026-11-07' }

/** What calls take, all in one: a schema that wants less refuses the rest, and pieces of it are tried alone. */
const pieces: Readonly<Record<string, unknown>> = {
  account,
  query: { ...plainTable, kind: 'table', family: 'script', dimension: 'browsers', range },
  byHand: true,
  view: '#/overview',
  id: 'paused',
  text: secret,
  token: secret,
  name: 'Client',
  address: 'https://reports.example',
  keep: 'session',
  bodyEncoding: 'json',
  report: '17',
  reports: ['17'],
  request: account,
  download: account,
  downloads: [account],
  template: null,
  schedule: null,
  choose: false,
  key: 'key',
  page: 1,
  limit: 100,
}

it('messages of a page that was taken over end in an answer, and none but what fits its schema comes in', async () => {
  const random = randomFrom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  let cameIn = 0
  const misfits: unknown[] = []
  const handlers = Object.fromEntries(
    names.map((name) => [
      name,
      (argument: unknown) => {
        cameIn += 1
        // What comes in is what the schema makes of it: no more, and nothing that it would refuse.
        if (!v.is(calls[name].argument, argument)) misfits.push([name, argument])
        if (random() < 0.1) throw new Error(`It broke on ${secret}`)
        return null
      },
    ]),
  ) as unknown as Handlers
  const argumentFor = (): unknown => {
    if (random() < 0.1) return undefined
    const some = Object.entries(pieces).filter(() => random() < 0.2)
    const whole: unknown = Object.fromEntries(some)
    return random() < 0.5 ? whole : mutateValue(whole, random)
  }
  const messages = runs(10_000, 100_000)
  for (let made = 0; made < messages; made += 1) {
    const name: unknown = random() < 0.9 ? pick(names) : mutateText(pick(names), random)
    const outcome = await answerCall({ handlers, report: () => undefined }, name, argumentFor())
    if (outcome.ok) continue
    expect(JSON.stringify(outcome)).not.toContain(secret)
  }
  expect(misfits).toEqual([])
  expect(cameIn).toBeGreaterThan(messages / 100)
}, 900_000)

it('messages of any other frame are refused', () => {
  const random = randomFrom(seed)
  const callers = { origin: 'traffic-desk-app://desk', isOurWindow: (id: number) => id === 1 }
  for (let made = 0; made < 10_000; made += 1) {
    const url = mutateText('traffic-desk-app://desk/index.html#/overview', random)
    const frame = { url, parent: random() < 0.5 ? null : {} }
    const sender = { sender: { id: random() < 0.5 ? 1 : 2 }, senderFrame: random() < 0.1 ? null : frame }
    const ours =
      sender.sender.id === 1 &&
      sender.senderFrame?.parent === null &&
      new RegExp('^traffic-desk-app://desk/').test(sender.senderFrame.url)
    expect(isOurs(sender, callers)).toBe(ours)
  }
})
