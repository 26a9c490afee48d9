import { describe, expect, it } from 'vitest'
import { ServiceFailure } from '#main/api/network-failure.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { refusalOf } from '#test/src-main/saved-views/helpers.ts'
import { harnessWith } from './harness.ts'

const account = firstId
const lost = new ServiceFailure({ kind: 'offline', message: 'The answer is lost.' })

/** A request was sent, and neither an answer nor a report in the list tells what became of it. */
async function unclear(made: boolean) {
  const harness = await harnessWith()
  const { ask, service, queue, pass, asking } = harness
  service.unlisted = new Set(['r1'])
  service.replies.push({ made, failure: lost })
  await ask({ name: 'A' })
  await pass(11_000)
  expect(await queue()).toEqual(['A: unclear'])
  const [sent] = (await asking.queue({ account })).requests
  if (!sent) throw new Error('It was to stand in the queue')
  const change = (name: string) =>
    asking.request({ account, draft: { ...sent.draft, name }, template: null, replaces: sent.id })
  return { ...harness, change }
}

describe('a request whose answer was lost, changed', () => {
  it('is not sent where its report is there by now, late as it came', async () => {
    const { change, service, queue, asking } = await unclear(true)
    service.unlisted.clear()
    const refusal = await refusalOf(change('B'))
    expect(refusal).toMatchObject({ kind: 'invalid', field: 'request' })
    expect(refusal?.message).toContain('in the list')
    await asking.atRest()
    expect(service.requests.map(({ name }) => name)).toEqual(['A'])
    expect(await queue()).toEqual([])
  })

  it('is looked for while all is paused, too', async () => {
    const { change, service, asking } = await unclear(true)
    asking.pause(true)
    service.unlisted.clear()
    expect(await refusalOf(change('B'))).toMatchObject({ field: 'request' })
    expect(service.requests.map(({ name }) => name)).toEqual(['A'])
  })

  it('is sent as what it is now where the list is still without its report', async () => {
    const { change, service, queue } = await unclear(false)
    expect(await change('B')).toMatchObject({ kind: 'report' })
    expect(service.requests.map(({ name }) => name)).toEqual(['A', 'B'])
    expect(await queue()).toEqual([])
  })

  it('is not sent where no list can be had now, and where none ever is, it is', async () => {
    const { change, service, queue } = await unclear(false)
    service.listFailure = lost
    expect(await refusalOf(change('B'))).toMatchObject({ kind: 'invalid', field: 'request' })
    expect(await queue()).toEqual(['A: unclear'])
    service.listFailure = new ServiceFailure({ kind: 'no-right', message: 'No list for this token.' })
    expect(await change('B')).toMatchObject({ kind: 'report' })
    expect(service.requests.map(({ name }) => name)).toEqual(['A', 'B'])
  })
})
