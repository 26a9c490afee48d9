import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FromServer, Channel, ToServer } from '#main/workers/rpc.ts'
import { systemClock } from '#main/lib/async.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { fake } from '#test/helpers/fake.ts'
import { desk } from '../reports/helpers.ts'
import { temporaryFolder } from '../database/helpers.ts'
import { exportsTo } from './helpers.ts'

const query: TableQuery = {
  ...plainTable,
  ...{ family: 'direct', dimension: 'browsers' },
  range: { start: day('2026-11-01'), end: day('2026-11-07') },
}

/** What the service says of every question: a small table. */
const table = {
  total: { suspect: 1, nonsuspect: 5, mobile: null },
  table: { headers: ['Browser', 'Requests'], all: [false, 6], rows: [['Chrome', 6]] },
  query: { page: 1, limit: 1000, results: 1, pages: 1 },
}

/** Files below a folder that an export made. */
const leftIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('export-'))
    : []

/** Calls of the engine that were begun and have not ended. */
function counting() {
  const open = new Set<number>()
  const heard: string[] = []
  const between = (channel: Channel): Channel => ({
    ...channel,
    post: (message) => {
      const asked = message as ToServer
      if (asked.kind === 'call' && asked.name === 'snapshot') {
        open.add(asked.id)
        heard.push('asked')
      }
      if (asked.kind === 'cancel') heard.push('given up')
      channel.post(message)
    },
    onMessage: (listener) =>
      channel.onMessage((message) => {
        const told = message as FromServer
        if (told.kind !== 'event') open.delete(told.id)
        listener(message)
      }),
  })
  return { open, heard, between }
}

describe('an export that is cancelled', () => {
  it('ends the work of the engine, and leaves no file of it, whenever that is', async () => {
    const folder = temporaryFolder()
    const { open, heard, between } = counting()
    const { reports, service, accounts, clock } = await desk({ folder, between })
    service.answering = () => table
    const downloads = temporaryFolder()
    const { exported, jobs, ended } = exportsTo(downloads, {
      ...{
        reports,
        accounts: fake<Accounts>('accounts', accounts),
        clock: { ...systemClock, now: clock.now },
      },
    })
    const [account] = accounts.list()
    if (!account) throw new Error('No account')
    const order = {
      kind: 'table',
      format: 'csv',
      rows: 'all',
      query,
      columns: ['Browser', 'Requests'],
    } as const
    expect(await ended((await exported.begin({ account: account.id, order: order })).id)).toMatchObject({
      kind: 'done',
      rows: 1,
    })
    heard.splice(0)
    // In the moment in which the engine is asked, and at others before and after it.
    const moments = ['asked', 1, 5, 25, 125] as const
    for (const moment of moments) {
      const { id } = await exported.begin({ account: account.id, order: order })
      if (moment === 'asked') await eventually(() => expect(heard).toContain('asked'))
      else for (let turn = 0; turn < moment; turn += 1) await Promise.resolve()
      jobs.cancel(id)
      const state = await ended(id)
      expect(['cancelled', 'done']).toContain(state.kind)
      await eventually(() => expect([...open]).toEqual([]))
      await eventually(() => expect(leftIn(join(folder, 'history-work'))).toEqual([]))
    }
    expect(readdirSync(downloads).filter((name) => name.endsWith('.part'))).toEqual([])
  })
})
