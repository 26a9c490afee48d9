import { execFileSync, fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { on } from 'node:events'
import { closeSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSandbox, temporaryFolder } from '../measure/desk.ts'
import { median } from '../measure/figures.ts'
import { settledSize, watchPeak } from '../measure/memory.ts'
import { within } from '../measure/within.ts'
import { askForArchive, prepare, startHidden } from './hidden-desk.ts'
import type { Prepared } from './hidden-desk.ts'
import type { FromLargeService, ToLargeService } from './messages.ts'
import { spread } from '../measure/target.ts'
import type { Target } from '../measure/target.ts'

const MEBIBYTES = 1024
const RUNS = 5
/** Milliseconds between two looks at the file. */
const LOOK = 5
/** The app is at rest by then: the thread of its store has ended, and begins again with the download. In milliseconds. */
const SETTLING = 45_000
/** The longest that a download may take, in milliseconds. */
const LIMIT = 120_000

/** Times in seconds, memory in MiB. */
type Saved = { readonly arrived: number; readonly saved: number; readonly memory: number }
type Fetched = { readonly arrived: number; readonly synced: number }

/**
 * An archive of 1 GiB from loopback to the disk: by the built app in the tray, and by curl, in turn. Ours is tested,
 * synced and named as well; so much more is compared with curl and a sync.
 */
export async function downloading(): Promise<readonly Target[]> {
  const folder = temporaryFolder('archives')
  const sandbox = await startSandbox()
  const script = join(import.meta.dirname, 'large-service.ts')
  const service = fork(script, [sandbox.address, join(folder, 'large.zip'), String(MEBIBYTES)])
  try {
    const { address, size } = await heard(service, 'ready')
    const prepared = await prepare({ address, token: sandbox.token }, async (page) => {
      const asked = heard(service, 'asked')
      await askForArchive(page)
      await asked
    })
    const ours: Saved[] = []
    const curl: Fetched[] = []
    for (let run = 0; run < RUNS; run += 1) {
      ours.push(await save(prepared, service, size))
      curl.push(fetchWithCurl(address, join(folder, 'curl.zip')))
    }
    return targetsOf(ours, curl)
  } finally {
    service.kill()
    await sandbox.close()
  }
}

async function save(prepared: Prepared, service: ChildProcess, size: number): Promise<Saved> {
  const asked = heard(service, 'asked')
  const app = await startHidden(prepared)
  await asked
  await sleep(SETTLING)
  await settledSize(app.pid)
  settleMachine()
  const peak = watchPeak(app.pid)
  const began = performance.now()
  const answer: ToLargeService = 'answer'
  service.send(answer)
  const seconds = () => (performance.now() - began) / 1000
  await until(() => sizeOf(prepared.downloads, /\.zip(\.part)?$/) === size)
  const arrived = seconds()
  await until(() => sizeOf(prepared.downloads, /\.zip$/) === size)
  const figures = { arrived, saved: seconds(), memory: peak() }
  await app.close()
  for (const name of readdirSync(prepared.downloads)) rmSync(join(prepared.downloads, name))
  return figures
}

function fetchWithCurl(address: string, path: string): Fetched {
  settleMachine()
  const began = performance.now()
  execFileSync('curl', ['--silent', '--fail', '--output', path, `${address}/large.zip`], { timeout: LIMIT })
  const arrived = (performance.now() - began) / 1000
  execFileSync('sync', [path])
  const synced = (performance.now() - began) / 1000
  rmSync(path)
  return { arrived, synced }
}

/**
 * The same for everybody: nothing left to be written, and memory for the file that this machine really has. Where it is a
 * virtual one, memory touched for the first time is handed over page by page, which takes ten times as long as the copying.
 */
function settleMachine(): void {
  const path = join(temporaryFolder('scratch'), 'scratch')
  const file = openSync(path, 'w')
  const piece = Buffer.alloc(1024 * 1024, 1)
  for (let written = 0; written < 1.5 * MEBIBYTES; written += 1) writeSync(file, piece)
  closeSync(file)
  rmSync(path)
  execFileSync('sync')
}

function sizeOf(folder: string, ending: RegExp): number | null {
  const name = readdirSync(folder).find((each) => ending.test(each))
  return name === undefined ? null : (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? null)
}

async function until(isSo: () => boolean): Promise<void> {
  const wait = async () => {
    while (!isSo()) await sleep(LOOK)
  }
  await within(LIMIT, wait(), 'The archive on the disk')
}

/** Waits for a message of the service. */
async function heard<As extends FromLargeService['kind']>(
  service: ChildProcess,
  as: As,
): Promise<Extract<FromLargeService, { as: As }>> {
  for await (const [message] of on(service, 'message', { signal: AbortSignal.timeout(LIMIT) })) {
    const told = message as FromLargeService
    if (told.kind === as) return told as Extract<FromLargeService, { as: As }>
  }
  throw new Error('The service ended')
}

function targetsOf(ours: readonly Saved[], curl: readonly Fetched[]): readonly Target[] {
  const throughput = (
    what: string,
    mine: readonly number[],
    theirs: readonly number[],
    by: string,
  ): Target => ({
    what,
    measured: spread(mine, 's', median(mine)),
    against: `${by} ${spread(theirs, 's', median(theirs))}`,
    figure: median(theirs) / median(mine),
    reach: { kind: 'least', value: 0.9, unit: '×' },
  })
  const memory = ours.map((each) => each.memory)
  return [
    throughput(
      'Throughput, 1 GiB from loopback to disk',
      ours.map((each) => each.arrived),
      curl.map((each) => each.arrived),
      'curl',
    ),
    throughput(
      'The same until tested, synced and named',
      ours.map((each) => each.saved),
      curl.map((each) => each.synced),
      'curl and sync',
    ),
    {
      what: 'Memory meanwhile, at its highest',
      measured: spread(memory, 'MiB', median(memory)),
      against: 'the app at rest',
      figure: median(memory),
      // A process of Node's takes most of it.
      reach: { kind: 'most', value: 100, unit: ' MiB' },
    },
  ]
}
