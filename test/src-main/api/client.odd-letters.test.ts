import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { AccessToken } from '#main/api/token.ts'
import { answersOddly } from '#test/helpers/odd-answers.ts'
import type { OddPaths } from '#test/helpers/odd-answers.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { week } from '#test/helpers/service-client.ts'

let running: RunningSandbox
let odd: Awaited<ReturnType<typeof answersOddly>>

beforeAll(async () => {
  running = await runningSandbox()
  odd = await answersOddly(running.sandbox.address)
})
afterAll(async () => {
  await odd.close()
  await running.close()
})

/** A client that hears of every odd answer, and whether a charset had to be assumed. */
function oddClient(paths: OddPaths) {
  odd.be(paths)
  const { address } = odd
  const token = new AccessToken(running.sandbox.tokens.admin, address)
  const assumed = vi.fn<() => void>()
  return { client: running.client({ address, assumed, token: () => Promise.resolve(token) }), assumed }
}

describe.each(['latin1', 'unsaid-latin1', 'lying'] as const)('letters that are sent as %s', (written) => {
  const everywhere = {
    interface: { kind: 'charset', written },
    script: { kind: 'charset', written },
  } as const

  it('are those of a service that encodes them, in lists and tables', async () => {
    const { client, assumed } = oddClient(everywhere)
    const plain = running.client()
    const asked = { ...week, limit: 1000 }
    for (const path of ['script/networks', 'script/sessions', 'script/geography'] as const) {
      const { answer, text } = await client.call(path, asked)
      expect(answer.table).toEqual((await plain.call(path, asked)).answer.table)
      expect(text).toMatch(/[À-ÿ]/)
      expect(text).not.toContain('\uFFFD')
    }
    const lists = await client.call('interface/instances', { limit: 1000 })
    expect(lists.answer.instances).toEqual(
      (await plain.call('interface/instances', { limit: 1000 })).answer.instances,
    )
    expect(lists.answer.instances.map(({ name }) => name)).toContain('Größe+Plus 100%')
    expect(assumed.mock.calls.length > 0).toBe(written === 'unsaid-latin1')
  })

  it('go back in a filter as they came', async () => {
    const { client } = oddClient(everywhere)
    const { answer } = await client.call('interface/sources', { ...week, limit: 1000 })
    const source = answer.sources.find((each) => each.includes('émission'))
    const filtered = await client.call('script/overview', { ...week, source: source ?? '' })
    const plain = await running.client().call('script/overview', { ...week, source: 'émission' })
    expect(filtered.answer.total).toEqual(plain.answer.total)
    expect(odd.requests.at(-1)?.body).toContain('émission')
  })
})
