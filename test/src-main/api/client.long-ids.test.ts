import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { scriptedServer, plain } from '#test/helpers/scripted-server.ts'
import type { ScriptedServer } from '#test/helpers/scripted-server.ts'
import { browsersAnswer, overviewAnswer, sessionsAnswer } from '#test/helpers/answers.ts'
import { clientFor, week } from '#test/helpers/service-client.ts'

/** Three instances: two ids that one JavaScript number would be, and one that is no number. */
const fixture = readFileSync('test/fixtures/answers/instances-big-id.json', 'utf8')
const ids = ['9007199254740993', '9007199254740992', '0077']

let server: ScriptedServer
beforeAll(async () => {
  server = await scriptedServer(plain(200, fixture))
})
afterAll(() => server.close())

describe('ids beyond what a number tells apart', () => {
  it('are three instances', async () => {
    const client = clientFor(server.address)
    server.answer(plain(200, fixture))
    const { answer, text } = await client.call('interface/instances', { all: false, limit: 1000 })
    const told = ids.map((id, place) => ({
      id,
      name: ['Harbour lamps', 'Lantern store', 'Quill'][place],
      all: false,
    }))
    expect(answer.instances).toMatchObject(told)
    expect(decodeAnswer('interface/instances', text)).toEqual(answer)
    await client.close()
  })

  it.each(['json', 'form'] as const)('are sent as they came, as %s', async (bodyEncoding) => {
    const client = clientFor(server.address, { bodyEncoding })
    for (const id of ids) {
      const echo = JSON.stringify(overviewAnswer).replace(
        '"instance":false',
        `"instance":${id.startsWith('0') ? `"${id}"` : id}`,
      )
      server.answer(plain(200, echo))
      const { answer } = await client.call('script/overview', { ...week, instance: id })
      expect(answer.query['instance']).toBe(id)
      const body = server.requests.at(-1)?.body ?? ''
      const sent =
        bodyEncoding === 'form' ? new URLSearchParams(body).get('instance') : JSON.parse(body).instance
      expect(sent).toBe(id)
    }
    await client.close()
  })

  it('stay apart among rows, in objects within texts and as numbers themselves', () => {
    const [row = []] = sessionsAnswer.table.rows
    const cells = ids.map((id, place) => {
      const object = `{"id":${place === 2 ? `"${id}"` : id},"name":"Harbour"}`
      return [place === 0 ? encodeURIComponent(object) : object, ...row.slice(1)]
    })
    const text = JSON.stringify({ ...sessionsAnswer, table: { ...sessionsAnswer.table, rows: cells } })
    expect(decodeAnswer('direct/sessions', text).table.rows.map(({ label }) => label)).toEqual(
      ids.map((id) => ({ kind: 'instance', id, name: 'Harbour' })),
    )
    const labels = JSON.stringify(browsersAnswer).replace('"Chrome+%2B+more"', '9007199254740993')
    expect(decodeAnswer('script/browsers', labels).table.rows[0]?.label).toEqual({
      kind: 'text',
      text: '9007199254740993',
    })
  })

  it('stay apart as ids of reports', () => {
    expect(
      decodeAnswer('raw/request', '{"success":true,"message":"","feedback":{},"id":9007199254740993}').id,
    ).toBe('9007199254740993')
  })
})
