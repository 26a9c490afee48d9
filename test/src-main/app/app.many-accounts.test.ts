import { expect, it, onTestFinished } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { scriptTotal } from '#test/helpers/answers.ts'
import { json, scriptedServer } from '#test/helpers/scripted-server.ts'
import type { ReceivedRequest } from '#test/helpers/scripted-server.ts'
import { temporaryFolder } from '../database/helpers.ts'
import { appOver } from './helpers.ts'

const paged = { page: 1, limit: 1000, results: 0, pages: 0 }

/** A service of as many accounts as there are tokens, each with one instance and no raw reports. */
const answerTo = ({ path }: ReceivedRequest): unknown => {
  if (path.endsWith('/interface/instances'))
    return { instances: [{ id: 1, name: 'One', status: 1 }], query: { ...paged, results: 1, pages: 1 } }
  if (path.endsWith('/raw/table')) {
    const limits = { minutes_total: 360, api_concurrent: 1, dashboard_concurrent: 2, minutes_available: 360 }
    return { processing: { limits, usage: { one: 1 } }, table: { rows: [] }, query: paged }
  }
  return { total: scriptTotal, query: {} }
}

const tokenIn = ({ body }: ReceivedRequest): string => String((JSON.parse(body) as { token: string }).token)

it('asks for the lists of an account that comes online, and of no other', async () => {
  const service = await scriptedServer((request, response) => json(answerTo(request))(request, response))
  onTestFinished(service.close)
  const app = appOver(temporaryFolder())
  onTestFinished(() => app.close())
  const { handlers } = app
  await handlers['desk/state'](undefined)
  const accounts: AccountId[] = []
  for (let nth = 0; nth < 12; nth += 1) {
    const made = await handlers['accounts/connect']({
      ...{ name: `Account ${nth}`, address: service.address, token: `token-of-account-${nth}` },
      ...{ storage: 'session', bodyEncoding: 'json' },
    })
    accounts.push(made.id)
  }
  app.begin()
  const lists = () => service.requests.filter(({ path }) => path.endsWith('/raw/table')).map(tokenIn)
  await expect.poll(() => new Set(lists()).size, { timeout: 20_000 }).toBe(12)
  const before = lists().length
  const end = addDays(dayAt(Date.now(), 'UTC'), -10)
  const range = { start: addDays(end, -6), end }
  for (const account of accounts) {
    const query = {
      kind: 'overview',
      family: 'script',
      range,
      instance: null,
      source: null,
      campaign: null,
      chart: false,
    } as const
    await handlers['reports/ask']({ account, query, force: false })
  }
  const after = () => lists().slice(before)
  await expect.poll(() => new Set(after()).size, { timeout: 20_000 }).toBe(12)
  expect(after().length).toBeLessThanOrEqual(2 * 12)
}, 60_000)
