import { describe, expect, it, onTestFinished } from 'vitest'
import { addDays, day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { plain, scriptedServer } from '#test/helpers/scripted-server.ts'
import type { Script } from '#test/helpers/scripted-server.ts'
import { clientFor, tokenText } from '#test/helpers/service-client.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { failing } from '../fake-service.ts'
import { AskedService } from './asked-service.ts'
import { TickingClock } from './ticking-clock.ts'
import { tirelessForAll } from './tireless-sandbox.ts'
import { harnessOver, harnessWith } from './harness.ts'

const account = firstId
const today = day('2026-11-20')

describe('a refusal', () => {
  const feedback = { pass: {}, fail: { instance: 'There is no such instance', start: ['Too', 'old'] } }

  it('is given to whoever fills in the form, beside its fields, and is not in the queue', async () => {
    const { ask, service, queue } = await harnessWith()
    service.replies.push({ made: false, answer: { success: false, message: 'Not requested', feedback } })
    expect(await ask()).toEqual({
      kind: 'refused',
      failure: {
        kind: 'bad-request',
        message: 'The service rejected this request.',
        said: 'Not requested',
      },
      fields: { instance: 'There is no such instance', start: 'Too old' },
    })
    expect(await queue()).toEqual([])
  })

  it('says with the message what its feedback names beside the form’s fields', async () => {
    const { ask, service } = await harnessWith()
    const fail = {
      account: 'Blocked until Monday',
      0: 'Ask your manager',
      'filters[0][value]': 'Too short',
      'filters[1].column': ['Not', 'here'],
    }
    service.replies.push({
      made: false,
      answer: { success: false, message: 'Not requested', feedback: { pass: {}, fail } },
    })
    expect(await ask()).toMatchObject({
      kind: 'refused',
      failure: { said: 'Not requested. Ask your manager. account: Blocked until Monday' },
      fields: { filters: 'Too short Not here' },
    })
  })

  it('that says nothing is a refusal all the same', async () => {
    const { ask, service, stuck } = await harnessWith()
    service.replies.push({
      made: false,
      answer: { success: false, message: '', feedback: { pass: {}, fail: {} } },
    })
    expect(await ask()).toMatchObject({ kind: 'refused', failure: { kind: 'bad-request' }, fields: {} })
    // Whoever filled in the form has read it.
    expect(stuck).toEqual([])
  })

  it('reads which fields a 400 names', async () => {
    const { ask, service } = await harnessWith()
    const said = 'The report was not requested. standard: At least one. end: The end is later. It is so'
    service.replies.push({ made: false, failure: failing('bad-request', said) })
    expect(await ask()).toMatchObject({
      kind: 'refused',
      failure: { kind: 'bad-request', said },
      fields: { standard: 'At least one', end: 'The end is later. It is so' },
    })
  })

  it('of one that had waited stands in the queue, until the person sends it again or drops it', async () => {
    const { ask, asking, service, queue, idOf, relist, stuck } = await harnessWith()
    service.limits = { ...service.limits, minutes_available: 0 }
    await ask({ name: 'A' })
    service.limits = { ...service.limits, minutes_available: 9 }
    service.replies.push({ made: false, failure: failing('no-right') })
    await relist()
    expect(await queue()).toEqual(['A: refused'])
    const told = { account, request: await idOf('A'), name: 'A', state: { kind: 'refused' } }
    expect(stuck).toMatchObject([told])
    expect(await asking.stuck()).toEqual(stuck)
    await relist()
    expect(stuck).toHaveLength(1)
    expect(service.requests).toHaveLength(1)
    await asking.sendAgain({ account, request: await idOf('A') })
    await asking.atRest()
    expect(service.requests).toHaveLength(2)
    expect(await queue()).toEqual([])
  })

  it('of one whose days have grown too old while it waited is the desk’s own', async () => {
    const { ask, asking, service, queue, pass } = await harnessWith()
    service.limits = { ...service.limits, minutes_available: 0 }
    await ask({ name: 'A', start: addDays(today, -90) })
    service.limits = { ...service.limits, minutes_available: 9 }
    await pass(86_400_000)
    expect(service.requests).toEqual([])
    expect(await queue()).toEqual(['A: refused'])
    const { requests } = await asking.queue({ account })
    expect(requests[0]?.state).toMatchObject({ failure: { kind: 'invalid', field: 'start' } })
  })
})

describe('a refusal with feedback, over HTTP', () => {
  /** Asking over a service whose requests a script answers. */
  async function harnessAnswered(script: Script) {
    const server = await scriptedServer(script)
    onTestFinished(() => server.close())
    const clock = new TickingClock()
    const { known, refresh, accepted } = new AskedService(clock)
    const client = clientFor(server.address)
    onTestFinished(() => client.close())
    return harnessOver({ known, refresh, accepted, client }, { clock })
  }

  const refused = (fail: unknown, message = 'The request was refused') =>
    JSON.stringify({ success: false, message, feedback: { pass: {}, fail } })

  it.each([200, 400, 422])('stands beside its fields and with the message: %i', async (status) => {
    const fail = { name: 'This+name%20is+reserved', 'filters[0][value]': ['Too', 'short'], plan: 'Too small' }
    const { ask, queue } = await harnessAnswered(plain(status, refused(fail)))
    expect(await ask()).toMatchObject({
      kind: 'refused',
      failure: { kind: 'bad-request', said: 'The request was refused. plan: Too small' },
      fields: { name: 'This name is reserved', filters: 'Too short' },
    })
    expect(await queue()).toEqual([])
  })

  it.each([200, 400])('gives a field without words the message: %i', async (status) => {
    const { ask } = await harnessAnswered(plain(status, refused({ name: '' })))
    expect(await ask()).toMatchObject({ fields: { name: 'The request was refused' } })
  })

  it.each([200, 400])('waits where it is about the limits: %i', async (status) => {
    const fail = { processing: 'The report takes 5 processing minutes, and 3 are left today' }
    const { ask, queue } = await harnessAnswered(plain(status, refused(fail)))
    expect(await ask({ name: 'A' })).toMatchObject({ kind: 'queued' })
    expect(await queue()).toEqual(['A: minutes'])
  })

  it('keeps the fields that its message names where its feedback names none', async () => {
    const { ask } = await harnessAnswered(plain(400, refused({ 0: 'See below' }, 'Refused. name: Reserved')))
    expect(await ask()).toMatchObject({ kind: 'refused', fields: { name: 'Reserved. See below' } })
  })

  it('hands on what is shown, and never the token', async () => {
    const twice = encodeURIComponent(encodeURIComponent(tokenText))
    const fail = { name: `Not for ${tokenText}`, start: [`Not for ${twice}`], [tokenText]: twice }
    const { ask } = await harnessAnswered(plain(400, refused(fail)))
    const answer = await ask()
    expect(answer).toMatchObject({ fields: { name: 'Not for [token]', start: expect.any(String) as string } })
    expect(Object.keys(answer).toSorted()).toEqual(['failure', 'fields', 'kind'])
    expect(JSON.stringify(answer)).not.toContain('5e15a')
  })

  it.each([[{}], [[]], [null], ['name'], [{ name: 12 }]])('is one in words where it is %j', async (fail) => {
    const { ask } = await harnessAnswered(plain(400, refused(fail, 'Refused. end: Too late')))
    expect(await ask()).toMatchObject({ kind: 'refused', failure: { kind: 'bad-request' } })
  })

  describe('of the sandbox', () => {
    const service = tirelessForAll()

    /** Hands requests on to the sandbox, and what it refuses back under a status. */
    const relay =
      (status: number): Script =>
      ({ path, body }, response) => {
        const headers = { 'content-type': 'application/json' }
        const sent = JSON.stringify({ ...JSON.parse(body), token: service.running.sandbox.tokens.admin })
        void fetch(service.running.sandbox.address + path, { method: 'POST', headers, body: sent }).then(
          async (answer) => {
            const text = await answer.text()
            const isRefused = answer.ok && text.includes('"success":false')
            response.writeHead(isRefused ? status : answer.status, headers).end(text)
          },
          () => response.destroy(),
        )
      }

    it.each([
      ['feedback', 200],
      ['feedback', 400],
      ['bad-request', 400],
    ] as const)('names the same field in each form: %s, %i', async (refusals, status) => {
      await service.running.behave({ raw: { refusals } })
      const { ask } = await harnessAnswered(relay(status))
      expect(await ask({ instance: '987654' as InstanceId })).toMatchObject({
        kind: 'refused',
        failure: { said: expect.stringContaining('The report was not requested') as string },
        fields: { instance: expect.stringContaining('instance') as string },
      })
    })
  })
})
