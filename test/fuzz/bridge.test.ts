import { expect, it, vi } from 'vitest'
import type { Keychain } from '#main/accounts/keychain.ts'
import { answerCall, isOurs } from '#main/bridge/gateway.ts'
import { withTimeout } from '#main/lib/async.ts'
import { calls } from '#shared/bridge/calls.ts'
import type { CallName } from '#shared/bridge/calls.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { fuzzedDesk } from './fuzzed-desk.ts'
import { mutateText, mutateValue } from './mutate.ts'
import { validCalls } from './valid-calls.ts'
import type { Things } from './valid-calls.ts'

/** A keychain as it should be; a person's own holds nothing of a test. */
vi.mock('#main/accounts/keychain.ts', () => {
  const held = new Map<string, string>()
  const createKeychain = (): Keychain => ({
    get: async (account) => held.get(account) ?? null,
    set: async (account, secret) => void held.set(account, secret),
    remove: async (account) => void held.delete(account),
  })
  return { createKeychain }
})

const names = Object.keys(calls) as CallName[]

it('messages of a page that was taken over end in an answer, and reach nothing but the profile, what was chosen and services that were named', async () => {
  console.log(`bridge messages: PROPERTY_SEED=${seed}`)
  const random = randomFrom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const desk = await fuzzedDesk()
  let things: Things

  /** A call as it should be; one that was damaged; pieces of all calls; or noise. */
  const message = (): readonly [unknown, unknown] => {
    const valid = validCalls(things)
    const name = pick(names)
    const choice = random()
    if (choice < 0.15) return [name, valid[name]]
    if (choice < 0.8) return [name, mutateValue(valid[name], random)]
    if (choice < 0.9) return [mutateText(name, random), valid[name]]
    const pieces = Object.entries(Object.assign({}, ...Object.values(valid)) as object)
    return [name, Object.fromEntries(pieces.filter(() => random() < 0.2))]
  }
  const unforeseen: unknown[] = []
  const counts = { answered: 0, refused: 0 }
  const send = async ([name, made]: readonly [unknown, unknown]) => {
    const argument = desk.toSend(name, made)
    const late = () => new Error(`${String(name)} hangs: ${JSON.stringify(argument)}`)
    const report = (call: CallName, error: unknown) => void unforeseen.push([call, argument, error])
    const outcome = await withTimeout({ milliseconds: 120_000, late }, () =>
      answerCall(desk.handlers, report, name, argument),
    )
    // It can cross the bridge, and holds no token.
    structuredClone(outcome)
    expect(JSON.stringify(outcome)).not.toContain(desk.token)
    counts[outcome.ok ? 'answered' : 'refused'] += 1
  }

  const messages = names.length + runs(200, 100_000)
  const slow = [send(['accounts/connect', desk.away])]
  const sendSome = async (until: number) => {
    while (sent < until) {
      // Each call as it should be comes first.
      const name = names[sent]
      sent += 1
      const next = name === undefined ? message() : ([name, validCalls(things)[name]] as const)
      // A raw report is waited for until the service has taken it, for a quarter of a minute or until the end.
      if (next[0] === 'raw/request') slow.push(send(next))
      else await send(next)
    }
  }
  let sent = 0
  while (sent < messages) {
    // What messages removed is made anew.
    things = await desk.furnish()
    const until = sent + 250
    await Promise.all(Array.from({ length: 8 }, () => sendSome(Math.min(until, messages))))
  }
  await desk.close()
  await Promise.all(slow)
  console.log(counts)
  desk.check()
  expect(unforeseen).toEqual([])
  expect(Math.min(counts.answered, counts.refused)).toBeGreaterThan(messages / 20)
}, 3_600_000)

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
