import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSession } from '#main/database/store-session.ts'
import type { StoreSession } from '#main/database/store-session.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { fake } from '#test/helpers/fake.ts'
import { RawReports } from '#main/raw/polling/raw-reports.ts'
import { day } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { account, firstId, folderForAll, storeOver } from '#test/src-main/database/helpers.ts'
import { HandClock } from '#test/src-main/reports/clock.ts'
import { rawContext } from '../raw-context.ts'
import { everything, newsText, quiet } from '../room.ts'

const folder = folderForAll()
const shown: string[] = []
let service: RunningSandbox
let session: StoreSession
let room: RawReports

beforeAll(async () => {
  service = await runningSandbox()
  await service.behave({ raw: { concurrency: 1000, minutes: 100_000 } })
  const client = service.client()
  const { instances } = (await client.call('interface/instances', { all: false, limit: 1 })).answer
  const instance = instances[0]?.id
  if (instance === undefined) throw new TypeError('There is no instance')
  const days = { start: day('2026-11-18'), end: day('2026-11-18') }
  // The sandbox has six of its own.
  for (let made = 0; made < 8; made += 1) {
    const name = `Report ${made}`
    await client.call('raw/request', {
      ...{ type: 'direct', instance, ...days, standard: ['source'], name, send_email: false },
    })
  }
  await service.control('POST', '/clock', { advance: 3_600_000 })
  session = openSession(folder)
  session.run('accounts/put', account())
  room = new RawReports(
    rawContext({
      store: storeOver(session),
      accounts: fake<Accounts>('accounts', {
        account: () => account(),
        list: () => [account()],
        clientFor: async () => client,
      }),
      news: {
        announce: async (news, handing) => {
          handing()
          // One of the sandbox's own expires tomorrow.
          if (news.kind !== 'one' || !news.announcement.kind.startsWith('expires')) shown.push(newsText(news))
        },
      },
      folder,
      clock: new HandClock('2026-11-20T12:00:00Z'),
    }),
  )
}, 60_000)
afterAll(async () => {
  await room.stop()
  session.close()
  await service.close()
})

const listed = async () => {
  const { reports, lack } = await room.list({ account: firstId, query: everything, force: false })
  return { reports: reports.map(({ row }) => row.name).sort(), lack }
}
/** From now on, so many lists have only so many entries. */
const leaveOut = (left: number, times: number) =>
  service.fault({ path: 'raw/table', times, does: { kind: 'left-out', left } })

it('keeps fourteen reports through three empty lists, and tells of none of them', async () => {
  await room.fresh(firstId)
  const whole = await listed()
  expect(whole).toMatchObject({ reports: { length: 14 }, lack: null })
  await leaveOut(0, 3)
  for (let lists = 0; lists < 3; lists += 1) {
    const { complete, rows } = await room.fresh(firstId)
    expect({ complete, asked: rows.length }).toEqual({ complete: false, asked: 8 })
    expect(await listed()).toEqual({ ...whole, lack: { reports: 14, isEmpty: true } })
  }
  expect((await room.fresh(firstId)).complete).toBe(true)
  expect(await listed()).toEqual(whole)
  await quiet()
  expect(shown).toEqual([])
})

it('counts what a shorter list lacks, and believes that a report is gone once the service does not know it', async () => {
  await leaveOut(11, 1)
  await room.fresh(firstId)
  expect(await listed()).toMatchObject({ reports: { length: 14 }, lack: { reports: 3, isEmpty: false } })
  const { reports } = await room.list({ account: firstId, query: everything, force: false })
  const removed = reports[0]?.row
  if (!removed) throw new TypeError('There is no report')
  await service.client().call('raw/remove', { raw: removed.id })
  await room.fresh(firstId)
  expect(await listed()).toMatchObject({ reports: { length: 13 }, lack: null })
  await quiet()
  await expect.poll(() => shown).toEqual([`disappeared ${removed.id}`])
})
