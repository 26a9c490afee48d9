import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import { reports } from './desk.ts'
import { family } from './memory.ts'

const counts = headersOf('script', 'browsers').slice(1)

/**
 * The kept browsers in one order after the other, each of two keys: none of them is kept as a page of the service, so that each is
 * computed from the kept table the first time that it is asked for. Enough of them that their p95 is not the slowest.
 */
export const sorts: readonly (readonly string[])[] = counts.flatMap((first) =>
  counts.filter((header) => header !== first).map((then) => [`asc:${first}`, `desc:${then}`]),
)

export const computedReport = (sort: readonly string[]): string =>
  `${reports.browsers}?${sort.map((key) => `sort=${encodeURIComponent(key)}`).join('&')}`

/** Says so where nothing was computed: then there is no engine among the processes of the app. */
export function checkComputed(pid: number): void {
  const lines = family(pid).map((each) => readFileSync(`/proc/${each}/cmdline`, 'utf8'))
  if (!lines.some((line) => line.includes('node.mojom.NodeService')))
    throw new Error('No engine was begun: nothing was computed')
}

/** How long the main process takes for a page that is computed, without the window: milliseconds. */
export async function answerTimes(page: Page, times: number): Promise<number[]> {
  const yesterday = addDays(dayAt(Date.now(), 'UTC'), -1)
  const query: TableQuery = {
    ...plainTable,
    ...{ family: 'script', dimension: 'browsers' },
    range: { start: addDays(yesterday, -6), end: yesterday },
  }
  return page.evaluate(
    async ({ query, times }) => {
      const state = await window.desk.call('desk/state')
      const account = state.ok ? state.value.accounts[0]?.id : undefined
      if (!account) throw new Error('There is no account')
      const measured: number[] = []
      for (let nth = 0; nth < times; nth += 1) {
        const began = performance.now()
        await window.desk.call('reports/ask', {
          account,
          query: { ...query, limit: 101 + nth },
          force: false,
        })
        measured.push(performance.now() - began)
      }
      return measured
    },
    { query, times },
  )
}
