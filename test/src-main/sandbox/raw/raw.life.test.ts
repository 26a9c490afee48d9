import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dayToWire } from '#shared/values/day.ts'
import { today } from './fake-rows.ts'
import { admin, limited, order, startTestRaw } from './harness.ts'
import type { TestRaw } from './harness.ts'

const DAY = 86_400_000

let desk: TestRaw
beforeEach(async () => {
  desk = await startTestRaw()
})
afterEach(() => desk.close())

const report = (raw: string) => desk.ask('raw/report', { raw })
const request = (change = {}) => desk.ask('raw/request', { ...order, ...change })

describe('a raw report', () => {
  it('is in progress at first, with nothing filled in', async () => {
    const { id } = await request({ name: 'Ours', additional: [2] })
    expect(await report(id)).toEqual({
      id,
      type: 'Response',
      name: 'Ours',
      start: dayToWire(order.start),
      end: 20261120,
      instance_id: expect.toSatisfy((id) => String(id) === '101'),
      instance_name: 'Shop & Söhne 100%',
      columns: { standard: ['source', 'country', 'result'], additional: [2] },
      filters: null,
      send_email: true,
      requested: '2026-11-20T12:00:00+00:00',
      file_name: null,
      file_size: null,
      rows: null,
      created: null,
      failed: null,
      timed_out: null,
      cancelled: null,
      alerted: null,
      status: 'In Progress',
      processing_minutes: 1,
      expires: '2026-12-21T00:00:00+00:00',
    })
  })

  it('becomes ready after its minute, to the second', async () => {
    const { id } = await request()
    desk.state.clock.advance(19_999)
    expect(await report(id)).toMatchObject({ status: 'In Progress', created: null })
    desk.state.clock.advance(1)
    const ready = await report(id)
    expect(ready).toMatchObject({ status: 'Ready', created: '2026-11-20T12:00:20+00:00', failed: null })
    expect(ready.file_name).toMatch(/^response-20261114-20261120-[0-9a-f]{16}\.zip$/)
    // Six events a day, of which two are of this instance, on seven days.
    expect(ready.rows).toBe(14)
    expect(ready.file_size).toBeGreaterThan(0)
  })

  it('alerts when it is ready, if an email was asked for', async () => {
    const loud = await desk.finished({ send_email: true })
    const quiet = await desk.finished({ send_email: false })
    expect((await report(loud)).alerted).toBe((await report(loud)).created)
    expect(await report(quiet)).toMatchObject({ alerted: null, send_email: false, status: 'Ready' })
  })

  it.each([
    ['failed', 'Failed'],
    ['timed_out', 'Timed Out'],
  ] as const)('can have %s, once', async (outcome, label) => {
    desk.raw.endNext(outcome)
    const bad = await desk.finished()
    const good = await desk.finished()
    expect(await report(bad)).toMatchObject({ status: label, created: null, alerted: null, file_size: null })
    expect((await report(bad))[outcome]).toBe('2026-11-20T12:00:20+00:00')
    await expect(desk.ask('raw/download', { raw: bad })).rejects.toMatchObject({ status: 400 })
    expect(await report(good)).toMatchObject({ status: 'Ready' })
  })

  it('can be cancelled while it is in progress, and then stays so', async () => {
    const { id } = await request()
    desk.state.clock.advance(5_000)
    expect(await desk.ask('raw/cancel', { raw: id })).toMatchObject({ success: true, feedback: { fail: {} } })
    desk.state.clock.advance(60_000)
    expect(await report(id)).toMatchObject({
      status: 'Cancelled',
      cancelled: '2026-11-20T12:00:05+00:00',
      created: null,
    })
    const again = await desk.ask('raw/cancel', { raw: id })
    expect(again).toMatchObject({ success: false, feedback: { pass: {} } })
    expect(again.feedback.fail).toHaveProperty(id)
  })

  it('goes at the midnight 31 days after it was requested', async () => {
    const id = await desk.finished()
    desk.state.clock.advance(30.5 * DAY - 60_001)
    expect(await report(id)).toMatchObject({ status: 'Ready' })
    desk.state.clock.advance(1)
    await expect(report(id)).rejects.toMatchObject({ status: 404 })
  })

  it('is removed, each id by itself', async () => {
    const [first, second] = [await desk.finished(), await desk.finished()]
    const answer = await desk.ask('raw/remove', { raw: [first, 'nonsense'] })
    expect(answer).toMatchObject({ success: false, feedback: { pass: { [first]: 'Removed' } } })
    expect(Object.keys(answer.feedback.fail)).toEqual(['nonsense'])
    await expect(report(first)).rejects.toMatchObject({ status: 404 })
    expect(await desk.ask('raw/remove', { raw: second })).toMatchObject({ success: true })
  })

  it('keeps the rows of the time at which it was requested', async () => {
    const before = await desk.finished({ filters: [{ column: 'result', operator: 'equals', value: 'bad' }] })
    const rows = (await report(before)).rows
    desk.state.behave({ ...desk.state.behaviour(), restated: [today] })
    const after = await desk.finished({ filters: [{ column: 'result', operator: 'equals', value: 'bad' }] })
    expect((await report(before)).rows).toBe(rows)
    expect((await report(after)).rows).not.toBe(rows)
  })

  it('is seen only by tokens with a right to its instance', async () => {
    const id = await desk.finished({ instance: '103' })
    await expect(desk.ask('raw/report', { raw: id }, limited)).rejects.toMatchObject({ status: 404 })
    expect(await desk.ask('raw/remove', { raw: id }, limited)).toMatchObject({ success: false })
    expect(await desk.ask('raw/report', { raw: id }, admin)).toMatchObject({ id })
  })
})

describe('the quota', () => {
  const limits = async () => (await desk.ask('raw/table', {})).processing.limits

  it('goes down with each report, is not given back, and is whole again the next day', async () => {
    expect(await limits()).toEqual({
      minutes_total: 360,
      api_concurrent: 1,
      dashboard_concurrent: 2,
      minutes_available: 360,
    })
    const id = await desk.finished()
    await desk.ask('raw/remove', { raw: id })
    expect((await limits()).minutes_available).toBe(359)
    desk.state.clock.advance(12 * 3_600_000)
    expect((await limits()).minutes_available).toBe(360)
  })

  it('refuses what goes beyond it, in words', async () => {
    const poor = await startTestRaw({ raw: { minutes: 1 } })
    await poor.finished()
    const answer = await poor.ask('raw/request', order)
    expect(answer).toMatchObject({ success: false, message: expect.stringContaining('0 are left today') })
    expect(answer.feedback.fail).toHaveProperty('processing')
    await poor.close()
  })

  it('lets one report be in progress at a time', async () => {
    const { id } = await request()
    expect(await request()).toMatchObject({
      success: false,
      message: expect.stringContaining('at one time: 1'),
    })
    await desk.ask('raw/cancel', { raw: id })
    expect(await request()).toMatchObject({ success: true })
  })
})
