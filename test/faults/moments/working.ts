import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { failureOf } from '#shared/api/failure.ts'

/** What a process that is there to be killed says of its work, a line each. */
export type Word =
  /** Everything is loaded: it waits for what it is to work on. */
  | { readonly kind: 'ready' }
  /** The work begins in which it is to be killed; it goes on until `done`. */
  | { readonly kind: 'working' }
  | { readonly kind: 'done' }
  /** Something counts as kept from now on. */
  | { readonly kind: 'stored'; readonly what: string }
  /** A piece of work came to nothing; it goes on with the next. */
  | { readonly kind: 'refused'; readonly failure: string; readonly message: string }
  /** Nothing is left to do. */
  | { readonly kind: 'ended' }

/**
 * A line is there for whoever listens the moment this returns, whatever happens to the process then. Whoever has much to do
 * listens late: until there is room in the pipe, it waits.
 */
function say(word: Word): void {
  for (;;) {
    try {
      return void writeSync(1, `${JSON.stringify(word)}\n`)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

export const sayStored = (what: unknown): void => say({ kind: 'stored', what: JSON.stringify(what) })

/** One piece of work after the other. */
export type Work = {
  /** What comes before: a kill in it is none in the work. */
  readonly prepare?: (round: number) => Promise<void>
  /** @returns false where nothing is left to do */
  readonly work: (round: number) => Promise<boolean>
  readonly close: () => Promise<void>
}

/**
 * Waits for its orders, and works until it is killed, or nothing is left to do.
 * @param begin opens what the orders name
 */
export async function workUntilKilled<Orders>(
  begin: (orders: Orders) => Promise<Work> | Work,
): Promise<void> {
  // Threads alone keep no process alive.
  const awake = setInterval(() => undefined, 60_000)
  // Who is killed leaves nothing at its end: what was compiled so far is left for the next ones here.
  flushCompileCache()
  say({ kind: 'ready' })
  const [text] = (await once(process.stdin, 'data')) as [Buffer]
  // The test that starts this process writes what its work takes.
  const { prepare, work, close } = await begin(JSON.parse(String(text)) as Orders)
  let isLeft = true
  for (let round = 0; isLeft; round += 1) {
    await unlessRefused(async () => await prepare?.(round))
    say({ kind: 'working' })
    await unlessRefused(async () => void (isLeft = await work(round)))
    say({ kind: 'done' })
    await setImmediate()
  }
  await close()
  clearInterval(awake)
  process.stdin.destroy()
  say({ kind: 'ended' })
}

async function unlessRefused(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { kind, message } = failureOf(error)
    if (kind === 'internal') console.error(error)
    say({ kind: 'refused', failure: kind, message })
  }
}
