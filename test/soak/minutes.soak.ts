import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { plainTable } from '#shared/reports/query.ts'
import { composedOf, dimensionNames, offers } from '#shared/api/dimensions.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import { settledSize, writtenSize, writtenSizeOf } from '../bench/measure/memory.ts'
import { startDesk } from '../e2e/helpers/app.ts'
import { hearComplaints } from '../e2e/helpers/complaints.ts'
import { temporaryFolder } from '../e2e/helpers/folders.ts'
import { familyOf } from '../e2e/helpers/processes.ts'
import { startSandbox } from '../e2e/helpers/sandbox.ts'
import { connect, status } from '../e2e/helpers/window.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { randomBy } from '../src-main/raw/polling/random.ts'
import { bareWindow } from './bare-window.ts'
import type { BareWindow } from './bare-window.ts'
import { bytesIn } from './bytes-in.ts'
import { quartersOf, slopeOf } from './slope.ts'

const minutes = Number(process.env['SOAK_MINUTES'] ?? 20)
/** Shows no figures, and asks for none. */
const plainView = '#/settings'

/** What a person looks at on a long day. */
const places = [
  ...dimensionNames.flatMap((dimension) =>
    (['direct', 'script'] as const)
      .filter((family) => offers(family, dimension))
      .map((family) => `#/reports/${family}/${dimension}`),
  ),
  ...[
    '#/overview',
    '#/accounts',
    '#/raw',
    '#/raw?form=new',
    '#/rows',
    '#/cases',
    '#/downloads',
    '#/settings',
    '#/help/guide',
  ],
]
const looks = [
  '',
  '?period=yesterday',
  '?rates=1&rules=1',
  '?chart=lines',
  '?chart=stacked&compare=period-before',
  '?rows=all',
  '?search=a',
]

/**
 * A thousand views, each until its figures are there: a program grows without losing anything while it runs for the first
 * time, keeps what it is shown for the first time, and has not yet had to collect what it let go of.
 */
async function warmUp(window: BareWindow): Promise<void> {
  const addresses = places.flatMap((place) =>
    place.startsWith('#/reports') ? looks.map((look) => place + look) : [place],
  )
  for (const address of Array.from({ length: 8 }, () => addresses).flat()) {
    await window.go(address)
    const until = performance.now() + 5000
    do await sleep(100)
    while (performance.now() < until && (await window.evaluate(isWaiting)) === true)
  }
  await fillTheEngine(window)
}

/**
 * Has the figures of many days fetched anew, as the views of some weeks do. Each is written into a file of its own in place of the
 * one before, and with each the engine's process grows by some kilobytes, until after 6,000 of them it grows no further: DuckDB
 * gathers what it freed of its blocks before it looks for them, and V8 takes more room for what it soon lets go of.
 */
async function fillTheEngine(window: BareWindow): Promise<void> {
  const today = dayAt(Date.now(), 'UTC')
  const days = Array.from({ length: 7 }, (_, ago) => addDays(today, -1 - ago))
  const tables = dimensionNames.filter((each) => offers('script', each) && composedOf(each) === null)
  const queries = days.flatMap((day) =>
    tables.map((dimension) => ({
      ...plainTable,
      ...{ family: 'script', dimension, range: { start: day, end: day } },
    })),
  )
  for (let fetched = 0; fetched < 7_000; fetched += queries.length)
    await window.evaluate(`(async () => {
      const { value: { active: account } } = await desk.call('desk/state')
      for (const query of ${JSON.stringify(queries)}) {
        const answer = await desk.call('reports/ask', { account, query, force: true })
        if (!answer.ok) throw new Error(answer.failure.message)
      }
    })()`)
}

const isWaiting = `document.querySelector('[aria-busy="true"], .skeleton') !== null`

/**
 * Lets go of whatever the app keeps only because there is room for it (what nothing refers to, decoded pictures, shapes of words, freed
 * pages). @returns what is left in use of the heaps of main process and window, in MiB
 */
async function discard(window: BareWindow, pid: number, heap: string): Promise<number> {
  rmSync(heap, { force: true })
  process.kill(pid, 'SIGUSR2')
  await window.send('HeapProfiler.collectGarbage')
  await window.send('Memory.simulatePressureNotification', { level: 'critical' })
  await expect.poll(() => existsSync(heap), { timeout: 30_000 }).toBe(true)
  const { usedSize } = (await window.send('Runtime.getHeapUsage')) as { usedSize: number }
  return (Number(readFileSync(heap, 'utf8')) + usedSize) / 2 ** 20
}

/** The processes of the app by their kind. Of the utility processes there is the engine's alone. */
function processesOf(pid: number): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  for (const each of familyOf(pid)) {
    const [, kind = 'main'] = /--type=([\w-]+)/.exec(commandOf(each)) ?? []
    const name = kind === 'utility' ? 'engine' : kind
    found.set(name, [...(found.get(name) ?? []), each])
  }
  return found
}

/** Empty where the process has ended meanwhile. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** Of each kind, in MiB. */
const sizesOf = (pid: number): ReadonlyMap<string, number> =>
  new Map([...processesOf(pid)].map(([kind, all]) => [kind, writtenSizeOf(all)]))

const handlesOf = (pid: number): number =>
  familyOf(pid).reduce((sum, each) => sum + readdirSync(`/proc/${each}/fd`).length, 0)

it(
  `opens views at random for ${minutes} minutes, and neither grows nor stutters`,
  async () => {
    console.log(`soak: PROPERTY_SEED=${seed}, ${minutes} minutes`)
    const { one, chance, below } = randomBy(randomFrom(seed))
    const profile = temporaryFolder('soak')
    const told = temporaryFolder('told')
    const [delays, heap] = [join(told, 'delays'), join(told, 'heap')]
    const [sandbox, { page, pid, debugging, quit }] = await Promise.all([
      startSandbox(),
      startDesk({
        profile,
        env: { SOAK_DELAYS: delays, SOAK_HEAP: heap },
        require: join(import.meta.dirname, 'soaked.cjs'),
      }),
    ])
    // What the content policy forbids is an error of the console from here on, whoever listens.
    await hearComplaints(page)
    await connect(page, { name: 'Northwind', address: sandbox.address, token: sandbox.tokens.admin })
    await status(page).filter({ hasText: 'As of' }).waitFor()

    const window = await bareWindow(debugging)
    await page.context().browser()?.close()
    await warmUp(window)

    const samples: {
      at: number
      memory: number
      sizes: ReadonlyMap<string, number>
      /** Of all that what is in use in the heaps of main process and window. */
      live: number
      handles: number
      files: number
    }[] = []
    const begun = performance.now()
    const minute = () => (performance.now() - begun) / 60_000
    let opened = 0
    while (minute() < minutes) {
      const place = one(places)
      const address = place.startsWith('#/reports') ? place + one(looks) : place
      await window.go(address)
      opened += 1
      await sleep(one([100, 500, 1500, 3000]))
      if (chance(0.2))
        await window.send('Input.dispatchMouseEvent', {
          type: 'mouseWheel',
          x: 640,
          y: 400,
          deltaX: 0,
          deltaY: below(2000),
        })
      if (chance(0.02)) {
        const value = one(['light', 'dark'])
        await window.send('Emulation.setEmulatedMedia', {
          features: [{ name: 'prefers-color-scheme', value }],
        })
      }
      if (chance(0.05))
        await sandbox.control('POST', '/faults', { times: 3, does: { kind: 'status', status: 503 } })
      if (samples.length > minute() * 2) continue
      // What a view takes differs by ten MiB from the next one's: each measurement is of the same one.
      await window.go(plainView)
      await sleep(1000)
      const live = await discard(window, pid, heap)
      samples.push({
        at: minute(),
        live,
        memory: await settledSize(pid, writtenSize),
        handles: handlesOf(pid),
        files: bytesIn(profile) / 2 ** 20,
        sizes: sizesOf(pid),
      })
    }
    for (const { at, memory, live, handles, files, sizes } of samples) {
      const each = [...sizes].map(([kind, size]) => `${kind} ${size.toFixed(0)}`).join(', ')
      console.log(
        `${at.toFixed(1)} min: ${memory.toFixed(0)} MiB (${each}), ${live.toFixed(1)} in use, ${handles} handles, ${files.toFixed(1)} MiB of files`,
      )
    }
    // The engine ends when nothing is asked for a minute, and gives back all that it held.
    await window.go(plainView)
    await expect.poll(() => processesOf(pid).has('engine'), { timeout: 180_000, interval: 1000 }).toBe(false)
    window.leave()
    expect(await quit()).toBe(0)

    const held = readFileSync(delays, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as number[])
    // The first ten seconds are of the start.
    const p99 = held.slice(1).map(([, each = 0]) => each)
    // The first ones are of the start.
    const later = samples.slice(Math.floor(samples.length / 4))
    const span = minutes * 0.75
    const growth = (of: (sample: (typeof samples)[number]) => number) => {
      const { slope, error } = slopeOf(later.map((sample) => [sample.at, of(sample)]))
      return { grown: slope * span, byChance: error * span }
    }
    const memory = growth((sample) => sample.memory)
    const engineOf = ({ sizes }: (typeof samples)[number]) => sizes.get('engine') ?? 0
    const engine = growth(engineOf)
    const others = growth((sample) => sample.memory - engineOf(sample))
    const live = growth((sample) => sample.live)
    const levels = quartersOf(samples.map(engineOf))
    const handles = growth((sample) => sample.handles)
    console.log({
      opened,
      memory,
      others,
      engine,
      levels,
      live,
      handles,
      p99: p99.toSorted((a, b) => b - a).slice(0, 20),
    })
    // A line through so few points is never level: what grows shows above chance and above a share of all.
    const min = (of: typeof memory, share: number) => Math.max(of.byChance, share)
    const first = later[0]
    const all = first?.memory ?? 0
    expect(others.grown).toBeLessThan(min(others, all / 50))
    // V8 keeps what it learns of the code that runs, about a kilobyte a view.
    expect(live.grown).toBeLessThan(min(live, (first?.live ?? 0) / 20))
    // The engine gives back a fifth of its memory at once, sooner or later, and takes some of that again. What grows is higher at
    // last than it ever was.
    if ((levels.at(-1) ?? 0) > Math.max(...levels.slice(0, -1)))
      expect(engine.grown).toBeLessThan(min(engine, all / 50))
    expect(handles.grown).toBeLessThan(Math.max(handles.byChance, 5))
    expect(Math.max(...samples.map(({ files }) => files))).toBeLessThan(200)
    expect(Math.max(...p99)).toBeLessThanOrEqual(16)
    expect(window.complaints().filter((each) => !each.includes('503'))).toEqual([])
  },
  (minutes + 20) * 60_000,
)
