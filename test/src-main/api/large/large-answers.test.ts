import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLargeAnswers, cutUp, putBack } from '#main/api/large/large-answers.ts'
import { readAnswer } from '#main/api/body.ts'
import type { Forgiven } from '#main/api/decode/json.ts'
import { AccessToken } from '#main/api/token.ts'
import { browsersAnswer } from '#test/helpers/answers.ts'
import { json, plain as withStatus, scriptedServer } from '#test/helpers/scripted-server.ts'
import { clientFor, tokenText, week } from '#test/helpers/service-client.ts'
import { appThread } from '#test/helpers/app-threads.ts'

const large = createLargeAnswers(appThread('answers'))
afterAll(() => large.close())

const path = 'script/browsers'
const of = {
  path,
  url: new URL(`https://reports.example/v1/${path}`),
  now: 0,
  token: new AccessToken(tokenText, 'https://reports.example'),
} as const
const plain = { status: 200, retryAfter: undefined, date: undefined, location: undefined }

/** A page of far more rows than any service gives, with the token in it. */
function largeAnswer(rows: number) {
  const [first = []] = browsersAnswer.table.rows
  const many = Array.from({ length: rows }, (_, place) => [
    `Browser ${place} ${'x'.repeat(100)}`,
    ...first.slice(1),
  ])
  const query = { ...browsersAnswer.query, browser: tokenText }
  return { ...browsersAnswer, table: { ...browsersAnswer.table, rows: many }, query }
}

describe('an answer that is too large for the main loop', () => {
  it('is read as any other, without the token', async () => {
    const answer = { ...plain, text: JSON.stringify(largeAnswer(9000)) }
    const read = await large.read(answer, of)
    expect(read).toEqual(readAnswer(answer, of))
    expect(JSON.stringify(read)).not.toContain(tokenText)
  })

  it('is forgiven the same, and says so', async () => {
    const odd = largeAnswer(9000)
    const rows = [...odd.table.rows, null, ['Edge', Infinity], ['Odd', {}, 2]]
    const text = `<br />Deprecated ${JSON.stringify({ ...odd, table: { ...odd.table, rows } }).replace('{}', 'NaN')}`
    const [here, there] = [new Set<Forgiven>(), new Set<Forgiven>()]
    const read = await large.read({ ...plain, text }, of, (kind) => there.add(kind))
    expect(read).toEqual(readAnswer({ ...plain, text }, of, (kind) => here.add(kind)))
    expect(read.answer.unreadable?.rows).toBe(1)
    expect(there).toEqual(here)
    expect([...there]).toEqual(expect.arrayContaining(['text-around', 'no-number', 'odd-entry']))
  })

  it('is parsed in a thread', async () => {
    const server = await scriptedServer(json(largeAnswer(9000)))
    const client = clientFor(server.address, { large })
    onTestFinished(async () => {
      await client.close()
      await server.close()
    })
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const { answer } = await client.call(path, week)
    expect(answer.table.rows).toHaveLength(9000)
    expect(Math.max(0, ...parse.mock.calls.map(([text]) => String(text).length))).toBeLessThan(1_000_000)
  })

  it.each([206, 418])('is not looked at under status %i: no answer has another than 200', async (status) => {
    const body = JSON.stringify({ error: 'Try tomorrow', more: 'x'.repeat(2_000_000) })
    const server = await scriptedServer(withStatus(status, body))
    const client = clientFor(server.address, { large })
    onTestFinished(async () => {
      await client.close()
      await server.close()
    })
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    await expect(client.call(path, week)).rejects.toMatchObject({ name: 'ServiceFailure' })
    expect(Math.max(0, ...parse.mock.calls.map(([text]) => String(text).length))).toBeLessThan(100_000)
  })

  it.each([
    ['none', 'x'.repeat(2_000_000), 'no valid JSON'],
    ['no table', JSON.stringify({ total: 'x'.repeat(2_000_000) }), "Can't read the service's answer"],
    [
      'an error all the same',
      JSON.stringify({ error: 'Try tomorrow', more: 'x'.repeat(2_000_000) }),
      'rejected this request',
    ],
  ])('fails in words where it is %s', async (_, text, words) => {
    await expect(large.read({ ...plain, text }, of)).rejects.toMatchObject({
      name: 'ServiceFailure',
      failure: { message: expect.stringContaining(words) },
    })
  })
})

describe('a value in slices', () => {
  it('is put together again as it was', () => {
    const value = {
      table: { rows: Array.from({ length: 1234 }, (_, place) => ({ place })), headers: ['One'] },
      names: Array.from({ length: 501 }, String),
      empty: [],
      nothing: null,
    }
    const { remainder: rest, slices } = cutUp(value)
    expect(Math.max(...slices.map(({ items }) => items.length))).toBeLessThanOrEqual(500)
    for (const slice of slices) putBack(rest, slice)
    expect(rest).toEqual(value)
  })
})
