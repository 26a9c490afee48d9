import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { UpdateState, UpdateStep } from '#shared/app/state.ts'
import { Jobs } from '#main/lib/jobs.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import { Updates } from '#main/updates/updates.ts'
import type { UpdatesContext } from '#main/updates/updates-context.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { fake } from '#test/helpers/fake.ts'
import { TickingClock } from '../raw/requests/ticking-clock.ts'
import { openFor, perform, temporaryFolder } from '../database/helpers.ts'
import { maker, noon, openFeedHost, target } from './maker.ts'
import type { FeedHost } from './maker.ts'

/** A host of a feed; it goes with the test. */
export async function feedHost(): Promise<FeedHost> {
  const host = await openFeedHost()
  onTestFinished(() => host.server.close())
  return host
}

type Given = Pick<Partial<UpdatesContext>, 'source' | 'here' | 'folder' | 'fetching'> & {
  readonly running?: string
  readonly store?: Partial<UpdatesContext['store']>
  readonly openFile?: SystemShell['openFile']
}

/** A profile with its state on the disk, a feed's host, and the app over both; `start` starts it again. */
export async function harness(given: Pick<Given, 'here'> = {}) {
  const folder = temporaryFolder()
  const { database } = openFor(folder)
  const [host, by, clock] = [await feedHost(), maker(), new TickingClock(noon)]
  const [announced, opened, told]: [string[], string[], UpdateState[]] = [[], [], []]
  let restarts = 0
  const packages = join(folder, 'updates')
  const usual = {
    source: { address: host.address, key: by.publicKey },
    here: { target, kind: 'deb', appImage: null },
    running: '1.2.3',
    folder: packages,
    store: { run: (name, argument) => Promise.resolve(perform(database, name, argument)) },
    fetching: {
      resolveProxy: () => Promise.resolve('DIRECT'),
      timeouts: { connect: 2000, firstByte: 2000, idle: 2000 },
    },
    openFile: (path) => {
      opened.push(path)
      return Promise.resolve('')
    },
  } satisfies Given
  const events = eventsTo((event) => {
    if (event.kind === 'updates/changed') told.push(event.state)
    if (event.kind === 'updates/found') announced.push(event.version)
  })
  const start = (more: Given = {}) => {
    const {
      source,
      here,
      running: version,
      folder: packagesIn,
      store,
      fetching,
      openFile,
    }: Required<Given> = { ...usual, ...given, ...more }
    return new Updates({
      ...{ source, version, here, folder: packagesIn, fetching, events, clock },
      store: fake<UpdatesContext['store']>('store', store),
      shell: fake<SystemShell>('shell', { openFile, restart: () => (restarts += 1) }),
      jobs: new Jobs(events, clock),
      log: () => undefined,
      random: () => 0.5,
    })
  }
  return { folder, packages, host, by, clock, announced, opened, told, start, restarts: () => restarts }
}

/** Does steps one after the other. @returns how it stands then */
export async function after(updates: Updates, ...steps: readonly UpdateStep[]): Promise<On> {
  let state = await updates.read()
  for (const step of steps) state = await updates.do(step)
  if (state.kind === 'without-feed') throw new Error('There is no feed')
  return state
}

type On = Extract<UpdateState, { kind: 'with-feed' }>

const hour = 3_600_000

/** Lets hours go by, one after the other, and waits each time until it is known when the next look is. */
export async function passHours(clock: TickingClock, hours: number, updates: Updates): Promise<void> {
  for (let each = 0; each < hours; each += 1) {
    clock.move(hour)
    await eventually(async () => {
      await updates.read()
      expect(clock.nextAlarm()).toBeGreaterThan(clock.time)
      expect(clock.nextAlarm()).toBeLessThan(Infinity)
    })
  }
}
