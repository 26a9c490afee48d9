import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as v from 'valibot'
import { onTestFinished } from 'vitest'
import { checkout } from './folders.ts'

const firstLine = v.object({
  address: v.string(),
  control: v.string(),
  tokens: v.object({ admin: v.string(), limited: v.string(), expired: v.string() }),
})

/** The stand-in service in a process of its own. */
export type RunningSandbox = v.InferOutput<typeof firstLine> & {
  readonly port: string
  /** Switches something while it runs (sandbox README: control). */
  readonly control: (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<unknown>
  /** Ends it without a word, as a crash would. */
  readonly kill: () => Promise<void>
}

type Options = { readonly port?: string; readonly seed?: number }

/** Starts a sandbox; it ends with the test at the latest. */
export async function startSandbox({ port = '0', seed = 7 }: Options = {}) {
  const child = spawn(
    process.execPath,
    [join(checkout, 'src-main/sandbox/main.ts'), '--port', port, '--seed', String(seed)],
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
    control: async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown> => {
      const answer = await fetch(`${control}${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`The sandbox answered ${answer.status}: ${await answer.text()}`)
      return answer.json()
    },
  }
}
