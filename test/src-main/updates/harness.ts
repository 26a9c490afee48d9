import { expect, onTestFinished } from 'vitest'
import type { UpdateState } from '#shared/app/state.ts'
import { Updates } from '#main/updates/updates.ts'
import type { UpdatesContext } from '#main/updates/updates.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { fake } from '#test/helpers/fake.ts'
import { TickingClock } from '../raw/requests/ticking-clock.ts'
import { openFor, perform, temporaryFolder } from '../database/helpers.ts'
import { maker, noon, openFeedHost } from './maker.ts'
import type { FeedHost } from './maker.ts'

/** A host of a feed; it goes with the test. */
export async function feedHost(): Promise<FeedHost> {
  const host = await openFeedHost()
  onTestFinished(() => host.server.close())
  return host
}

type Given = Pick<Partial<UpdatesContext>, 'source' | 'fetching'> & {
  readonly running?: string
  readonly store?: Partial<UpdatesContext['store']>
}

/** A profile with its state on the disk, a feed's host, and the app over both; `start` starts it again. */
export async function harness() {
  const folder = temporaryFolder()
  const { database } = openFor(folder)
  const [host, by, clock] = [await feedHost(), maker(), new TickingClock(noon)]
  const [announced, told]: [string[], UpdateState[]] = [[], []]
  const usual = {
    source: { address: host.address, key: by.publicKey },
    running: '1.2.3',
    store: { run: (name, argument) => Promise.resolve(perform(database, name, argument)) },
    fetching: {
      resolveProxy: () => Promise.resolve('DIRECT'),
      timeouts: { connect: 2000, firstByte: 2000, idle: 2000 },
    },
  } satisfies Given
  const events = eventsTo((event) => {
    if (event.kind === 'updates/changed') told.push(event.state)
    if (event.kind === 'updates/found') announced.push(event.version)
  })
  const start = (more: Given = {}) => {
    const { source, running: version, store, fetching }: Required<Given> = { ...usual, ...more }
    return new Updates({
      ...{ source, version, folder, fetching, events, clock },
      store: fake<UpdatesContext['store']>('store', store),
      log: () => undefined,
      random: () => 0.5,
    })
  }
  return { folder, host, by, clock, announced, told, start }
}

/** How updates stand. */
export const stateOf = async (updates: Updates): Promise<On> => withFeed(await updates.read())

/** How updates stand after a check. */
export const checked = async (updates: Updates): Promise<On> => withFeed(await updates.check())

function withFeed(state: UpdateState): On {
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
