import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import { threadChannel } from '#main/workers/rpc-client.ts'
import { createServiceClient } from '#main/api/client.ts'
import { noProxyAccess } from '#main/api/transport/proxy-access.ts'
import { AccessToken } from '#main/api/token.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import { account, figuresDesk } from '../history/figures-desk.ts'
import { startSandbox, temporaryFolder } from '../measure/desk.ts'
import { startCoverage } from './coverage.ts'

/** A cold query may enter so many in the main process. */
const MAX = 40

const channel = new BroadcastChannel('modules entered')
channel.unref()

/** What a thread has entered since the last time; nothing where it has not begun. */
function enteredIn(name: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve([]), 2_000)
    channel.onmessage = (event) => {
      const { data } = event as { data: { readonly name?: string; readonly entered: readonly string[] } }
      if (data.name !== name) return
      clearTimeout(late)
      resolve(data.entered)
    }
    channel.postMessage(name)
  })
}

const sandbox = await startSandbox()
const client = createServiceClient({
  // As the app has it: what it loads before the query is not entered by it.
  proxyAccess: noProxyAccess,
  ...{ address: sandbox.address, bodyEncoding: 'json' },
  token: () => Promise.resolve(new AccessToken(sandbox.token, sandbox.address)),
})
const desk = await figuresDesk(temporaryFolder('modules'), client, {
  storeWorker: new URL('store-thread.ts', import.meta.url),
  openEngine: (...argv) =>
    threadChannel(new URL('engine-thread.ts', import.meta.url), { argv, name: 'engine' }),
})
const coverage = await startCoverage()

const show = (where: string, modules: readonly string[]) =>
  console.log([`  ${where}: ${modules.length}`, ...modules.map((each) => `    ${each}`)].join('\n'))

/** Asks one query, and prints what that enters. @returns how many modules of the main process */
async function modulesOf(words: string, query: TableQuery): Promise<number> {
  await enteredIn('store')
  await enteredIn('engine')
  await coverage.entered()
  const { provenance } = await desk.reports.ask({ account: account.id, query, force: false })
  const inMain = await coverage.entered()
  console.log(`\n${words} (from: ${provenance.from})`)
  show('main process', inMain)
  show('store thread', await enteredIn('store'))
  show('engine', await enteredIn('engine'))
  // Waits for what is being kept behind the answer.
  await desk.reports.storedOf(account.id, query)
  return inMain.length
}

/** Lines and files of src-main, without the stand-in service. */
function sizeOfMain(): string {
  const folder = resolve(import.meta.dirname, '../../../src-main')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith(`sandbox${sep}`),
  )
  const lines = files.reduce(
    (sum, name) => sum + readFileSync(join(folder, name), 'utf8').split('\n').length - 1,
    0,
  )
  return `src-main without the sandbox: ${lines.toLocaleString('en')} lines in ${files.length} files`
}

const end = addDays(dayAt(Date.now(), 'UTC'), -10)
const browsers: TableQuery = {
  ...plainTable,
  ...{ family: 'script', dimension: 'browsers', range: { start: addDays(end, -6), end } },
}
console.log(
  'Counted are modules of src-main and src-shared of which a function runs between the query and its answer; a module that is only loaded before is not, nor is the sandbox.',
)
const counts = [
  await modulesOf('Nothing is kept: the service is asked', browsers),
  await modulesOf('Computed from a kept table', { ...browsers, sort: [{ header: 'Bad', direction: 'asc' }] }),
]
const max = Math.max(...counts)
console.log(
  `\nModules that a cold query enters in the main process: ${max}, to reach at most ${MAX}: ${max <= MAX ? 'reached' : 'MISSED'}`,
)
console.log(sizeOfMain())
await desk.close()
await client.close()
await sandbox.close()
process.exit()
