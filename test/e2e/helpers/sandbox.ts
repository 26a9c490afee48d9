import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as v from 'valibot'
import { onTestFinished } from 'vitest'
import { dayAt, dayToWire } from '../../../src-shared/values/day.ts'
import type { Day } from '../../../src-shared/values/day.ts'
import { checkout } from './folders.ts'

const firstLine = v.object({
  address: v.string(),
  control: v.string(),
  tokens: v.object({ admin: v.string(), limited: v.string(), expired: v.string() }),
})

/** The stand-in service in a process of its own. */
export type RunningSandbox = Omit<v.InferOutput<typeof firstLine>, 'control'> & {
  readonly port: string
  /** Switches something while it runs (sandbox README: control). */
  readonly control: (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<unknown>
  /** Ends it without a word, as a crash would. */
  readonly kill: () => Promise<void>
}

type Options = {
  readonly port?: string
  /** Decides tokens too. Not the seed of the sample data inside the app, whose token would be the same. */
  readonly seed?: number
  /** The day it is in the sandbox; the real one unless given. */
  readonly today?: Day
}

/** Starts a sandbox; it ends with the test at the latest. */
export async function startSandbox({
  port = '0',
  seed = 11,
  today = dayAt(Date.now(), 'UTC'),
}: Options = {}): Promise<RunningSandbox> {
  const child = spawn(
    process.execPath,
    [
      join(checkout, 'src-main/sandbox/main.ts'),
      '--port',
      port,
      '--seed',
      String(seed),
      '--today',
      String(dayToWire(today)),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)
  const [line]: unknown[] = await once(createInterface({ input: child.stdout }), 'line')
  const { control, ...started } = v.parse(firstLine, JSON.parse(String(line)))
  return {
    ...started,
    port: new URL(started.address).port,
    kill,
    control: async (method, path, body) => {
      const answer = await fetch(`${control}${path}`, {
        method,
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      })
      if (!answer.ok) throw new Error(`The sandbox answered ${answer.status}: ${await answer.text()}`)
      return await answer.json()
    },
  }
}
