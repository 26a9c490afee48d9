import { createServiceClient } from '#main/api/client.ts'
import { AccessToken } from '#main/api/token.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { lengthOf } from '#shared/values/day.ts'
import { addDays, day } from '#shared/values/day.ts'
import { peakOf } from './history/engine-memory.ts'
import { account, figuresDesk } from './history/figures-desk.ts'
import { childChannel } from './measure/child-channel.ts'
import { temporaryFolder } from './measure/desk.ts'
import { proportionalSizeOf } from './measure/memory.ts'
import { tableOf } from './measure/target.ts'
import type { Target } from './measure/target.ts'

/** Rows of each of these days; `LARGE_ROWS` and `LARGE_DAYS` say others. */
const rows = Number(process.env['LARGE_ROWS'] ?? 500_000)
const days = Number(process.env['LARGE_DAYS'] ?? 28)
const end = day('2026-10-28')
const query: TableQuery = {
  ...{ ...plainTable, family: 'script', dimension: 'referrers', whole: true },
  range: { start: addDays(end, 1 - days), end },
}

/** A service of large tables, and how often it was asked. */
async function startService() {
  const channel = childChannel(new URL('history/many-rows-service.ts', import.meta.url), [String(rows)])
  const next = <T>() =>
    new Promise<T>((resolve) => {
      channel.onMessage((message) => {
        resolve(message as T)
      })
    })
  const { address } = await next<{ address: string }>()
  const asked = async () => {
    const told = next<{ requests: number }>()
    channel.post('how many')
    return (await told).requests
  }
  return { address, asked, close: channel.kill }
}

/** Keeps the days of a large table, and asks for a page of all of them together: requests, time, and memory of engine and main process. */
export async function large(): Promise<string> {
  const { address, asked, close } = await startService()
  const token = () => Promise.resolve(new AccessToken('bench-token-0123456789', address))
  const client = createServiceClient({ address, bodyEncoding: 'json', token })
  const desk = await figuresDesk(temporaryFolder('large'), client)
  let main = 0
  const look = setInterval(() => (main = Math.max(main, proportionalSizeOf([process.pid]))), 200)
  const began = performance.now()
  const writing = await peakOf(desk, () =>
    desk.reports.storeWhole({
      ...{ account: account.id, query, signal: new AbortController().signal },
      progress: () => undefined,
    }),
  )
  const seconds = (performance.now() - began) / 1000
  clearInterval(look)
  const requests = await asked()
  const { days: stored } = await desk.reports.storedOf(account.id, query)
  const asking = performance.now()
  const reading = await peakOf(desk, () => desk.reports.ask({ account: account.id, query, force: false }))
  const answered = (performance.now() - asking) / 1000
  await desk.close()
  await client.close()
  close()
  const what = `${lengthOf(query.range)} days of ${rows.toLocaleString('en')} rows`
  const fewest = days * Math.ceil(rows / 1000)
  const min = { kind: 'told', unit: '' } as const
  /** Of the utility process, its own code and V8's heap among it: about 140 MiB where it has written before. */
  const engine = (what: string, figure: number): Target => ({
    ...{ what, measured: `${figure.toFixed(0)} MiB`, against: "Electron's utility process", figure },
    reach: { kind: 'most', value: 250, unit: ' MiB' },
  })
  return tableOf([
    {
      ...{
        what: `Keeping ${what}`,
        measured: `${stored} kept in ${seconds.toFixed(0)} s, ${requests} requests`,
      },
      ...{
        against: `${fewest} pages`,
        figure: requests / fewest,
        reach: { kind: 'most', value: 1, unit: '×' },
      },
    },
    engine('Memory of the engine that keeps (PSS)', writing),
    {
      ...{ what: 'Memory of the process that asks (PSS)', measured: `${main.toFixed(0)} MiB` },
      ...{ against: 'Node, without a window', figure: main, reach: min },
    },
    {
      ...{ what: 'A page of all days together', measured: `${answered.toFixed(1)} s` },
      ...{ against: 'the same engine', figure: answered, reach: min },
    },
    engine('Memory of the engine that answers (PSS)', reading),
  ])
}
