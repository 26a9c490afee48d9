import { describe, expect, it } from 'vitest'
import { requestsOfLink } from '#main/app/link-cost.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { Views } from '#main/saved-views/views.ts'
import { checkViewAddress } from '#main/saved-views/views-file.ts'
import type { Account } from '#shared/accounts/account.ts'
import { fake } from '#test/helpers/fake.ts'
import { account, firstId } from '../database/helpers.ts'

const noon = Date.UTC(2026, 10, 20, 12)

/** What an account takes of which whatever can be estimated comes to 300 requests. */
function costOf(address: string, change: Partial<Account> | null): Promise<number> {
  const known = { ...account(), ...change } as Account
  const accounts = fake<Accounts>('accounts', {
    active: () => (change === null ? null : firstId),
    account: () => known,
  })
  const views = fake<Views>('views', {
    estimate: async ({ address }) => {
      checkViewAddress(address)
      return [{ requests: 300, total: 300, days: 300, milliseconds: 1, bytes: 1, assumed: [], depth: null }]
    },
  })
  return requestsOfLink(address, accounts, views, noon)
}

const longRange = 'start=2026-01-01&end=2026-11-01'

describe('what a link asks of the service', () => {
  it.each([
    ['one page of a report', '#/reports/script/browsers', {}, 0],
    ['a report over more days than the service answers', `#/reports/script/browsers?${longRange}`, 31, 300],
    [
      'a report over so many days where nobody knows how many it answers',
      `#/reports/script/browsers?${longRange}`,
      null,
      300,
    ],
    ['a week of a report where nobody knows how many it answers', '#/reports/script/browsers', null, 0],
    ['a report that is compared with other days', '#/reports/script/browsers?compare=year-before', 31, 300],
    ['a report with its chart', '#/reports/script/browsers?chart=lines', {}, 300],
    ['both families of an overview', '#/overview', {}, 300],
    ['a view that is not understood', '#/report?x=y', {}, 300],
    ['a composed table, which says itself what it costs', '#/reports/script/sources', {}, 0],
    ['rows beside the figures of the tables', '#/rows/report-1,report-2?recount=1', {}, 6],
    ['what is looked for in all archives', '#/rows?search=a', {}, 0],
  ])('of %s', async (_, address, of, requests) => {
    const change =
      of === null || typeof of === 'number' ? { windows: { tables: of, overview: null, lookups: null } } : of
    expect(await costOf(address, change)).toBe(requests)
  })

  it.each(['#/accounts', '#/raw', '#/rows', '#/downloads', '#/settings', '#/connect', '#/help/guide'])(
    'is nothing of %s, which has no figures of its own',
    async (address) => {
      expect(await costOf(address, {})).toBe(0)
    },
  )

  it('is nothing where there is no account, or one of earlier figures', async () => {
    expect(await costOf('#/overview', null)).toBe(0)
    expect(await costOf('#/overview', { kind: 'earlier' } as Partial<Account>)).toBe(0)
  })
})
