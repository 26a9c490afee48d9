import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Agent, request } from 'undici'
import { createServiceClient } from '../../../src-main/service/client.ts'
import { AccessToken } from '../../../src-main/service/token.ts'
import { someAtATime } from '../../../src-main/figures/sync/some-at-a-time.ts'
import { dayToWire } from '../../../src-shared/values/day.ts'
import { childLine } from '../measure/child-line.ts'
import { temporaryFolder } from '../measure/desk.ts'
import { median } from '../measure/figures.ts'
import { spread } from '../measure/target.ts'
import type { Target } from '../measure/target.ts'
import { account, figuresDesk } from './figures-desk.ts'
import { asked, daysAsked, queryOf } from './keeping-asked.ts'

const ROUNDS = 3
const token = 'bench-token-0123456789'
/** Requests at the same time, as the app's client has them. */
const atOnce = 4
/** How often the event loop is looked at, in milliseconds: what is measured is late by at most so much. */
const resolution = 1

type Service = { readonly address: string; readonly close: () => void }

async function startReplaying(wait: number): Promise<Service> {
  const line = childLine(new URL('replaying-service.ts', import.meta.url), [String(wait)])
  const { address } = await new Promise<{ address: string }>((resolve) => {
    line.onMessage((message) => resolve(message as { address: string }))
  })
  return { address, close: line.kill }
}

/** Keeps it all in a new profile. Milliseconds, and how late the event loop was at the most in 99 of 100 cases. */
async function keep(address: string): Promise<{ readonly took: number; readonly late: number }> {
  const client = createServiceClient({
    ...{ address, bodyEncoding: 'json' },
    token: () => Promise.resolve(new AccessToken(token, address)),
  })
  const desk = await figuresDesk(temporaryFolder('keeping'), client)
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const began = performance.now()
  for (const each of asked) {
    await desk.reports.keepWhole({
      ...{ account: account.id, query: queryOf(each) },
      ...{ signal: new AbortController().signal, progress: () => undefined },
    })
  }
  const took = performance.now() - began
  delay.disable()
  const { days } = await desk.reports.keptSize()
  if (days !== asked.length * daysAsked.length) throw new Error(`${days} days were kept`)
  await desk.close()
  await client.close()
  return { took, late: delay.percentile(99) / 1e6 - resolution }
}

/** Fetches the same answers and drops them. Milliseconds. */
async function drop(address: string): Promise<number> {
  const dispatcher = new Agent({ connections: atOnce })
  const began = performance.now()
  for (const { path } of asked) {
    await someAtATime(atOnce, daysAsked, async (day) => {
      const { statusCode, body } = await request(`${address}/v1/${path}`, {
        ...{ method: 'POST', dispatcher, headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ token, start: dayToWire(day), end: dayToWire(day), limit: 1000 }),
      })
      await body.dump({ limit: Infinity })
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`)
    })
  }
  const took = performance.now() - began
  await dispatcher.close()
  return took
}

/**
 * Keeping 90 days of ten tables, against fetching the same and dropping it, in turn: from a service on this machine that
 * answers at once, so that all of the time is ours; and from one that takes as long as a quick one over a network.
 */
export async function keeping(): Promise<readonly Target[]> {
  return [...(await keepingFrom(0)), ...(await keepingFrom(25))]
}

async function keepingFrom(wait: number): Promise<readonly Target[]> {
  const service = await startReplaying(wait)
  const kept: { took: number; late: number }[] = []
  const dropped: number[] = []
  await drop(service.address)
  for (let round = 0; round < ROUNDS; round += 1) {
    kept.push(await keep(service.address))
    dropped.push(await drop(service.address))
  }
  service.close()
  const took = kept.map((each) => each.took)
  const late = kept.map((each) => each.late)
  const tables = asked.length * daysAsked.length
  const answered = wait === 0 ? 'answered at once' : `answered in ${wait} ms`
  return [
    {
      what: `(d) Keeping ${daysAsked.length} days of ${asked.length} tables, ${answered}`,
      measured: `${spread(took, 'ms', median(took))}, ${(median(took) / tables).toFixed(2)} ms a table`,
      against: `undici ${spread(dropped, 'ms', median(dropped))}`,
      figure: median(took) / median(dropped),
      reach: { as: 'most', value: 1.2, unit: '×' },
    },
    {
      what: `(d) Event loop meanwhile, p99, ${answered}`,
      measured: spread(late, 'ms', median(late)),
      against: `looked at every ${resolution} ms`,
      figure: Math.max(...late),
      reach: { as: 'most', value: 16, unit: ' ms' },
    },
  ]
}
