import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { expect } from 'vitest'
import { temporaryFolder } from '#test/src-main/database/helpers.ts'
import type { Word } from './working.ts'

export type Refusal = Extract<Word, { readonly kind: 'refused' }>

/** What processes said before they were killed. */
export type Said = {
  /** What counts as kept, in the order in which each of them said so. */
  readonly stored: string[]
  readonly refused: Refusal[]
  /** Whether one of them had nothing left to do. */
  ended: boolean
}

export type Killing<Orders> = {
  /** A file of this folder that calls `workUntilKilled`. */
  readonly worker: string
  /** So many kills have to fall into the work itself. */
  readonly moments: number
  /** From 0 to 1. */
  readonly random: () => number
  /** So many processes work on the same at the same time, and each is killed at a moment of its own. */
  readonly together?: number
  readonly ordersOf: (moment: number, nth: number) => Orders
  /** Happens at the random moment in place of the kill, which comes after two more pieces of work then. */
  readonly meanwhile?: () => void
  /** Looks at what is left, and readies it for the next. */
  readonly check: (said: Said) => Promise<void>
}

/** How many of the moments fell into the work, and into what is before and after it. */
export type Hits = { readonly inside: number; readonly outside: number }

/**
 * Lets processes work, and kills each without warning at a random moment of one of its first pieces of work, until so many
 * kills fell into the work. How long that takes is learnt meanwhile, so that the moments lie all over it.
 */
export async function killAtMoments<Orders>(killing: Killing<Orders>): Promise<Hits> {
  const { worker, moments, random, together = 1, ordersOf, meanwhile, check } = killing
  const hits = { inside: 0, outside: 0 }
  const durations: number[] = []
  const compiled = temporaryFolder()
  const begin = (): Child => spawned(worker, compiled)
  // The next ones load what they need while these work.
  let ready = Array.from({ length: together }, begin)
  try {
    for (let moment = 0; hits.inside < moments; moment += 1) {
      // Work that is hardly ever hit is a mistake of the test.
      expect(hits.outside).toBeLessThan(3 * moments + 20)
      const said: Said = { stored: [], refused: [], ended: false }
      const children = ready
      const typical = medianOf(durations.slice(-20)) ?? 30
      const killed = children.map((child, nth) =>
        killAt(child, {
          ...{ orders: ordersOf(moment, nth), said, durations },
          round: Math.floor(random() * 3),
          after: random() * 1.2 * typical,
          ...(meanwhile && { meanwhile: { act: meanwhile, killAfter: random() * typical } }),
        }),
      )
      ready = Array.from({ length: together }, begin)
      for (const isInside of await Promise.all(killed)) hits[isInside ? 'inside' : 'outside'] += 1
      await check(said)
    }
  } finally {
    for (const child of ready) child.kill('SIGKILL')
  }
  return hits
}

/** Lets a process work until nothing is left to do. */
export async function workToTheEnd(worker: string, orders: unknown): Promise<Said> {
  const said: Said = { stored: [], refused: [], ended: false }
  await killAt(spawned(worker, temporaryFolder()), { orders, said, durations: [], round: Infinity, after: 0 })
  return said
}

type Child = ChildProcessByStdio<Writable, Readable, null>

/** @param compiled a folder in which processes leave what they have compiled for the next ones */
const spawned = (worker: string, compiled: string): Child =>
  spawn(process.execPath, [join(import.meta.dirname, worker)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { NODE_COMPILE_CACHE: compiled, ...process.env },
  })

type KillPlan = {
  readonly orders: unknown
  /** Which piece of work, from 0. */
  readonly round: number
  /** So many milliseconds after its begin. */
  readonly after: number
  readonly said: Said
  /** How long pieces of work took, in milliseconds. */
  readonly durations: number[]
  /** What happens first, and when the kill comes in the piece of work after the next, in milliseconds. */
  readonly meanwhile?: { readonly act: () => void; readonly killAfter: number }
}

/** @returns whether the moment fell into the work */
async function killAt(child: Child, plan: KillPlan): Promise<boolean> {
  const { said, durations, meanwhile } = plan
  const timers: ReturnType<typeof setTimeout>[] = []
  let round = -1
  let begun = 0
  let isWorking = false
  let actedIn = Infinity
  let wasWorking = false
  const kill = () => void child.kill('SIGKILL')
  const act = () => {
    wasWorking = isWorking
    actedIn = round
    meanwhile?.act()
  }
  const hear = (word: Word): void => {
    switch (word.kind) {
      case 'ready':
        return void child.stdin.write(JSON.stringify(plan.orders))
      case 'working':
        isWorking = true
        begun = performance.now()
        round += 1
        if (round === plan.round) timers.push(setTimeout(meanwhile ? act : kill, plan.after))
        if (meanwhile && round === actedIn + 2) timers.push(setTimeout(kill, meanwhile.killAfter))
        return
      case 'done':
        isWorking = false
        return void durations.push(performance.now() - begun)
      case 'stored':
        return void said.stored.push(word.what)
      case 'refused':
        return void said.refused.push(word)
      case 'ended':
        said.ended = true
    }
  }
  const exit = once(child, 'exit')
  // What these processes write is typed where they write it.
  for await (const line of createInterface(child.stdout)) hear(JSON.parse(line) as Word)
  timers.forEach(clearTimeout)
  const [code, signal] = (await exit) as [number | null, NodeJS.Signals | null]
  expect(said.ended ? [0, null, 'SIGKILL'] : ['SIGKILL']).toContain(signal ?? code)
  return meanwhile ? wasWorking : isWorking && signal === 'SIGKILL'
}

function medianOf(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)]
}
