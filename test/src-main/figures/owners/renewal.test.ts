import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runningSandbox } from '../../../helpers/running-sandbox.ts'
import type { RunningSandbox } from '../../../helpers/running-sandbox.ts'
import { days, devices, openWorld, shown } from './world.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())

const form = (token: keyof RunningSandbox['sandbox']['tokens'], name: string = token) =>
  ({
    name,
    address: running.sandbox.address,
    token: running.sandbox.tokens[token],
    keep: 'keychain',
    bodyEncoding: 'json',
  }) as const

describe('a token of other instances', () => {
  it('never adds its days to those that were kept with the one before', async () => {
    const { book, reports } = await openWorld()
    const other = await book.connect(form('limited', 'Other'))
    const limited = await shown(reports, other.id)
    const { id } = await book.connect(form('admin', 'Acme'))
    await shown(reports, id, { ...devices, range: days(1, 3) })
    await book.renewToken({ account: id, token: running.sandbox.tokens.limited, keep: 'keychain' })
    expect(await shown(reports, id)).toEqual(limited)
  })
})
