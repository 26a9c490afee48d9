import * as v from 'valibot'
import { rawStandardColumns } from '#shared/api/raw-columns.ts'
import { addDays, dayAt, dayToWire } from '#shared/values/day.ts'
import type { RunningSandbox } from '../helpers/sandbox.ts'

const requested = v.object({ id: v.string() })
const address = v.object({ url: v.string() })
const instances = v.object({ instances: v.array(v.object({ id: v.union([v.number(), v.string()]) })) })

export type ReadyReport = { readonly id: string; readonly name: string; readonly bytes: Buffer }

async function ask(
  { address: service, tokens }: RunningSandbox,
  path: string,
  given: object,
): Promise<unknown> {
  const answer = await fetch(`${service}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: tokens.admin, ...given }),
  })
  return await answer.json()
}

export async function firstInstance(sandbox: RunningSandbox): Promise<string> {
  const [found] = v.parse(instances, await ask(sandbox, 'interface/instances', { all: false })).instances
  return String(found?.id)
}

/** Another program that uses the same account: it has a large report made, which is ready at once. */
export async function readyReport(
  sandbox: RunningSandbox,
  name: string,
  howManyDays = 20,
): Promise<ReadyReport> {
  await sandbox.control('POST', '/behaviour', {
    raw: { concurrency: 1000, minutes: 100_000, secondsPerMinute: 1 },
  })
  const instance = await firstInstance(sandbox)
  const today = dayAt(Date.now(), 'UTC')
  const days = { start: dayToWire(addDays(today, -howManyDays)), end: dayToWire(addDays(today, -1)) }
  const order = { type: 'response', instance, ...days, name, send_email: false }
  const { id } = v.parse(
    requested,
    await ask(sandbox, 'raw/request', { ...order, standard: rawStandardColumns.response }),
  )
  await sandbox.control('POST', '/clock', { advance: 600_000 })
  const { url } = v.parse(address, await ask(sandbox, 'raw/download', { raw: id }))
  const archive = await fetch(decodeURIComponent(url.replaceAll('+', ' ')))
  return { id, name, bytes: Buffer.from(await archive.arrayBuffer()) }
}

/** Archives come so slowly from now on that one takes about so many seconds. */
export async function slowDown(
  sandbox: RunningSandbox,
  { bytes }: ReadyReport,
  seconds: number,
): Promise<void> {
  const does = { kind: 'drip', bytes: Math.ceil(bytes.length / (seconds * 10)), everyMilliseconds: 100 }
  await sandbox.control('DELETE', '/faults')
  await sandbox.control('POST', '/faults', { path: 'download', times: null, does })
}

/** The statuses with which archives were handed out. */
export async function handedOut(sandbox: RunningSandbox): Promise<readonly number[]> {
  const log = v.object({ requests: v.array(v.object({ path: v.string(), status: v.number() })) })
  const { requests } = v.parse(log, await sandbox.control('GET', '/requests'))
  return requests.filter(({ path }) => path === 'download').map(({ status }) => status)
}
