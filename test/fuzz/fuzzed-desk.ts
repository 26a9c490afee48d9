import { writeFileSync } from 'node:fs'
import * as v from 'valibot'
import { threadChannel } from '#main/workers/rpc-client.ts'
import { expect, onTestFinished } from 'vitest'
import type { Handlers } from '#main/lib/module.ts'
import { interrupted } from '#main/app/work-notices.ts'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import { parseServiceAddress } from '#main/api/address.ts'
import { isOver } from '#shared/app/jobs.ts'
import { calls } from '#shared/bridge/calls.ts'
import type { CallName } from '#shared/bridge/calls.ts'
import { day } from '#shared/values/day.ts'
import { eventually } from '../helpers/eventually.ts'
import { proxyServer } from '../helpers/proxy-server.ts'
import { appOver, noShell } from '../src-main/app/helpers.ts'
import { elsewhere } from './mutate.ts'
import { surroundings } from './surroundings.ts'
import { validCalls } from './valid-calls.ts'
import type { Things } from './valid-calls.ts'

const names = Object.keys(calls) as CallName[]

const nobody = '0b8e7e53-9d0e-4f1c-9a43-3e7f5a1f2b6c'
/** Ids of nothing that there is. */
const blank = {
  ...{ account: nobody, view: nobody, report: nobody, download: nobody, request: nobody, template: nobody },
  ...{
    schedule: nobody,
    export: nobody,
    case: nobody,
    note: nobody,
    alert: nobody,
    file: `file-${nobody}`,
    dropped: nobody,
  },
  ...{ address: '', token: '' },
} as unknown as Things

/** What a person connects to a service by. */
const namesService = new Set<unknown>([
  'accounts/connect',
  'accounts/edit',
  'lock/sign-in',
] satisfies CallName[])

/** The one host besides the sandbox that a person names as a service: no message may lead to `elsewhere` on that account. */
const named = 'https://named.example'

/** Where the app may write: its profile, what it saves, and what a person chose. */
const folders = ['app/profile', 'app/downloads', 'app/chosen']

/**
 * A whole desk, with its threads and an account at the sandbox. A proxy on loopback, which lets nobody through, writes down every
 * other host that somebody is looked for at; dialogs and the shell are fakes that write down what they were asked.
 */
export async function fuzzedDesk() {
  const around = surroundings(folders)
  const chosen = (name: string, text: string) => {
    writeFileSync(around.path(`app/chosen/${name}`), text)
    return around.path(`app/chosen/${name}`)
  }
  const sandbox = await createSandbox({ seed: 7, today: day('2026-11-20') })
  const proxy = await proxyServer(0, { refusal: 502 })
  const addresses = new Set([
    sandbox.address,
    sandbox.downloadAddress,
    named,
    `http://127.0.0.1:${proxy.port}`,
  ])
  const opened = new Set<string>()
  const logged: string[] = []
  const csv = chosen('rows.csv', 'TIMESTAMP,IP,RESULT\r\n2026-11-13 10:00:00,198.51.100.7,bad\r\n')
  const [picture, backup, views] = ['p.png', 'b.zip', 'v.json'].map((name) =>
    chosen(name, 'Not what it says'),
  )
  // The sample service is this sandbox too, so that its address is known.
  const started = { address: sandbox.address, tokens: sandbox.tokens }
  const sample = chosen(
    'sample.mjs',
    `import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ kind, id }) => {
      if (kind === 'call') parentPort.postMessage({ kind: 'done', id, result: ${JSON.stringify(started)} })
      if (kind === 'close') parentPort.close()
    })`,
  )
  const desk = appOver(around.path('app/profile'), {
    resolveProxy: () => Promise.resolve(`PROXY 127.0.0.1:${proxy.port}`),
    threads: { sample },
    openArchive: () => threadChannel(new URL('./watched-archive-worker.ts', import.meta.url), {}),
    log: (_, words) => void logged.push(words),
    shell: {
      ...noShell,
      downloads: () => around.path('app/downloads'),
      chooseFolder: () => Promise.resolve(around.path('app/chosen')),
      chooseTables: () => Promise.resolve([csv]),
      choosePicture: () => Promise.resolve(picture ?? null),
      chooseBackup: () => Promise.resolve(backup ?? null),
      chooseViewsFile: () => Promise.resolve(views ?? null),
      showFile: (path) => opened.add(path),
      openFile: (path) => {
        opened.add(path)
        return Promise.resolve('')
      },
    },
  })
  onTestFinished(async () => {
    await desk.close()
    await Promise.all([sandbox.close(), proxy.close()])
  })
  desk.setWatching(true)
  desk.begin()

  const misfits: unknown[] = []
  /** What comes in is what the schema makes of it: no more, and nothing that it would refuse. */
  const checked = Object.fromEntries(
    names.map((name) => [
      name,
      (argument: unknown) => {
        if (!v.is(calls[name].argument, argument)) misfits.push([name, argument])
        return (desk.handlers[name] as (given: unknown) => unknown)(argument)
      },
    ]),
  ) as unknown as Handlers

  let furnished = 0
  /** Connects, and makes one of everything that a call may be about. */
  async function furnish(): Promise<Things> {
    const { handlers } = desk
    for (const { id, kind } of (await handlers['desk/state'](undefined)).accounts)
      if (kind !== 'earlier') await handlers['accounts/remove']({ account: id, what: 'everything' })
    // So many exports run at once, and no more.
    for (const { id } of await handlers['jobs/list'](undefined)) await handlers['jobs/cancel']({ id })
    await eventually(async () => {
      const jobs = await handlers['jobs/list'](undefined)
      expect(jobs.filter(({ kind, state }) => kind === 'export' && !isOver(state))).toEqual([])
    })
    const reach = { address: sandbox.address, token: sandbox.tokens.admin }
    let things = { ...blank, ...reach }
    // Another message may have connected one of the usual name meanwhile.
    const connecting = { ...validCalls(things)['accounts/connect'], name: `Client ${(furnished += 1)}` }
    const { id: account } = await handlers['accounts/connect'](connecting)
    const listing = validCalls({ ...things, account })['raw/list']
    const ready = await eventually(async () => {
      const { reports } = await handlers['raw/list'](listing)
      return found(reports.find(({ life }) => life.state === 'ready'))
    })
    const [dropped] = await desk.dropped([csv])
    things = { ...things, account, report: ready.row.id, dropped: found(dropped) }
    const valid = validCalls(things)
    const { id: template } = await handlers['raw/save-template'](valid['raw/save-template'])
    await handlers['raw/request'](valid['raw/request'])
    const [request] = (await handlers['raw/queue'](valid['raw/queue'])).requests
    const [file] = await handlers['rows/take'](valid['rows/take'])
    const download = await handlers['downloads/start'](valid['downloads/start'])
    // The thread that fetches it has got so far once at least.
    await eventually(() => expect(around.contacts).toContain(placeOfAddress(sandbox.downloadAddress)))
    return {
      ...{ ...things, template, request: request?.id ?? things.request },
      ...{ file: file ?? things.file, download: download?.id ?? things.download },
      view: (await handlers['views/save'](valid['views/save'])).id,
      schedule: (
        await handlers['raw/save-schedule'](validCalls({ ...things, template })['raw/save-schedule'])
      ).id,
      job: (await handlers['exports/start'](valid['exports/start'])).id,
      case: (await handlers['cases/begin'](valid['cases/begin'])).id,
      note: (await handlers['notes/add'](valid['notes/add'])).id,
      alert: (await handlers['alerts/add'](valid['alerts/add'])).id,
    }
  }

  return {
    handlers: checked,
    token: sandbox.tokens.admin,
    furnish,
    /** Connects to a service that only the proxy leads to. */
    away: { ...validCalls(blank)['accounts/connect'], address: named, token: 'typed' },
    close: () => desk.close(),
    /** An argument as it is sent: what a message names as the place of a service may be looked for, too. */
    toSend: (name: unknown, argument: unknown): unknown => {
      if (!namesService.has(name) || typeof argument !== 'object' || argument === null) return argument
      const { address } = argument as { address?: unknown }
      if (address === elsewhere) return { ...argument, address: named }
      const parsed = typeof address === 'string' ? parseServiceAddress(address) : null
      if (parsed?.ok === true) addresses.add(parsed.value)
      return argument
    },
    /** Fails where anything happened outside of the folders and of the hosts that it may have happened at. */
    check: () => {
      const hosts = new Set([...addresses].map(placeOfAddress))
      around.check(hosts)
      for (const address of [sandbox.address, sandbox.downloadAddress])
        expect(around.contacts).toContain(placeOfAddress(address))
      expect(proxy.asked).toContain(placeOfAddress(named))
      expect(proxy.asked.filter((place) => !hosts.has(place))).toEqual([])
      const saved = ['app/downloads/', 'app/chosen/'].map(around.path)
      expect([...opened].filter((path) => !saved.some((each) => path.startsWith(each)))).toEqual([])
      expect(misfits).toEqual([])
      // Threads and processes that end by themselves begin again, and nobody who asked needs to notice.
      const ends = Object.values(interrupted).map(({ title }) => title)
      expect(logged.filter((words) => ends.some((title) => words.startsWith(title)))).toEqual([])
    },
  }
}

function found<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('The sandbox or the desk lacks it')
  return thing
}

function placeOfAddress(address: string): string {
  const { protocol, hostname, port } = new URL(address)
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
