import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Agent, request } from 'undici'
import { createServiceClient } from '#main/api/client.ts'
import { AccessToken } from '#main/api/token.ts'
import { Lane } from '#main/lib/lanes.ts'
import { dayToWire } from '#shared/values/day.ts'
import { childChannel } from '../measure/child-channel.ts'
import { startSandbox, temporaryFolder } from '../measure/desk.ts'
import { median } from '../measure/figures.ts'
import { spread } from '../measure/target.ts'
import type { Target } from '../measure/target.ts'
import { account, figuresDesk } from './figures-desk.ts'
import { asked, dayAfter, daysAsked, queryOf } from './keeping-asked.ts'

const ROUNDS = 3
/** Requests at the same time, as the app's client lets what nobody waits for have them: one place stays free for a person. */
const atOnce = 3
/** How long an answer is under way over a quick network, in milliseconds. */
const networkWay = 25
/** How often the event loop is looked at, in milliseconds: what is measured is late by at most so much. */
const resolution = 1

type Service = {
  readonly address: string
  readonly token: string
  /** How it answers, in words. */
  readonly answers: string
  readonly close: () => unknown
}

/**
 * The stand-in service that ships with the app: it makes each answer when it is asked for it.
 * @param wait how long each answer is under way besides, in milliseconds
 */
async function startSample(wait: number): Promise<Service> {
  const sandbox = await startSandbox(dayAfter)
  if (wait > 0) await sandbox.delay(wait)
  return {
    ...sandbox,
    answers: wait > 0 ? `sample service, ${wait} ms away` : 'sample service, no way at all',
  }
}

/** A service that has its answers ready. */
async function startReplaying(): Promise<Service> {
  const channel = childChannel(new URL('replaying-service.ts', import.meta.url), [])
  const { address } = await new Promise<{ address: string }>((resolve) => {
    channel.onMessage((message) => resolve(message as { address: string }))
  })
  const answers = 'answered from memory'
  return { ...{ address, answers, close: channel.kill }, token: 'bench-token-0123456789' }
}

/** Keeps it all in a new profile. Milliseconds, and how late the event loop was at the most in 99 of 100 cases. */
async function keep({ address, token }: Service): Promise<{ readonly took: number; readonly late: number }> {
  const client = createServiceClient({
    ...{ address, bodyEncoding: 'json' },
    token: () => Promise.resolve(new AccessToken(token, address)),
  })
  const desk = await figuresDesk(temporaryFolder('keeping'), client)
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const began = performance.now()
  for (const each of asked) {
    await desk.reports.storeWhole({
      ...{ account: account.id, query: queryOf(each) },
      ...{ signal: new AbortController().signal, progress: () => undefined },
    })
  }
  const took = performance.now() - began
  delay.disable()
  const { days } = await desk.reports.storedSize()
  if (days !== asked.length * daysAsked.length) throw new Error(`${days} days were kept`)
  await desk.close()
  await client.close()
  return { took, late: delay.percentile(99) / 1e6 - resolution }
}

type Fetched = { readonly path: string; readonly day: string; readonly page: number }

const firstPages = asked.flatMap(({ path }) =>
  daysAsked.map((day): Fetched => ({ path, day: String(dayToWire(day)), page: 1 })),
)

/** Asks for these pages, and does something with each. */
async function fetchAll(
  { address, token }: Service,
  all: readonly Fetched[],
  take: (
    body: { dump: (to: { limit: number }) => Promise<void>; json: () => Promise<unknown> },
    of: Fetched,
  ) => Promise<void>,
): Promise<void> {
  const dispatcher = new Agent({ connections: atOnce })
  await new Lane(atOnce).forEach(all, async (each) => {
    const day = Number(each.day)
    const { statusCode, body } = await request(`${address}/v1/${each.path}`, {
      ...{ method: 'POST', dispatcher, headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ token, start: day, end: day, limit: 1000, page: each.page }),
    })
    await take(body, each)
    if (statusCode !== 200) throw new Error(`${each.path} answered ${statusCode}`)
  })
  await dispatcher.close()
}

/** Every page that keeping asks for. */
async function pagesOf(service: Service): Promise<readonly Fetched[]> {
  const all: Fetched[] = []
  await fetchAll(service, firstPages, async (body, first) => {
    const { query } = (await body.json()) as { query: { pages: number } }
    for (let page = 1; page <= Math.max(1, query.pages); page += 1) all.push({ ...first, page })
  })
  return all
}

/** Fetches them and drops them. Milliseconds. */
async function drop(service: Service, all: readonly Fetched[]): Promise<number> {
  const began = performance.now()
  await fetchAll(service, all, (body) => body.dump({ limit: Infinity }))
  return performance.now() - began
}

/**
 * Keeping 90 days of ten tables, against fetching the same and dropping it, in turn, with as many requests at once. What has
 * to be reached is judged by the sample service as over a quick network. The two others are told alone: the sample service
 * on this machine itself, whose work and ours share the processors, as those of no service in use do; and answers from
 * memory, so that all of the time is ours.
 */
export async function keeping(): Promise<readonly Target[]> {
  return [
    ...(await keepingFrom(await startSample(networkWay), true)),
    ...(await keepingFrom(await startSample(0), false)),
    ...(await keepingFrom(await startReplaying(), false)),
  ]
}

async function keepingFrom(service: Service, isJudged: boolean): Promise<readonly Target[]> {
  const stored: { took: number; late: number }[] = []
  const dropped: number[] = []
  const all = await pagesOf(service)
  for (let round = 0; round < ROUNDS; round += 1) {
    stored.push(await keep(service))
    dropped.push(await drop(service, all))
  }
  await service.close()
  const took = stored.map((each) => each.took)
  const late = stored.map((each) => each.late)
  const tables = asked.length * daysAsked.length
  return [
    {
      what: `(d) Keeping ${daysAsked.length} days of ${asked.length} tables, ${service.answers}`,
      measured: `${spread(took, 'ms', median(took))}, ${(median(took) / tables).toFixed(2)} ms a table`,
      against: `undici, ${atOnce} at once: ${spread(dropped, 'ms', median(dropped))}`,
      figure: median(took) / median(dropped),
      reach: { ...(isJudged ? { kind: 'most', value: 1.2 } : { kind: 'told' }), unit: '×' },
    },
    {
      what: `(d) Event loop meanwhile, p99, ${service.answers}`,
      measured: spread(late, 'ms', median(late)),
      against: `looked at every ${resolution} ms`,
      figure: Math.max(...late),
      reach: { kind: 'most', value: 16, unit: ' ms' },
    },
  ]
}
