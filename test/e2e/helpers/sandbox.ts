import * as v from 'valibot'
import { expect, onTestFinished } from 'vitest'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import type { Sandbox } from '#main/sandbox/sandbox.ts'
import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { pollOptions } from './poll-options.ts'

/** The stand-in service, beside the test that drives the app: a process of its own would only begin the later. */
export type RunningSandbox = Pick<Sandbox, 'address' | 'tokens'> & {
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
  const { address, tokens, controlAddress, close } = await createSandbox({ port: Number(port), seed, today })
  let ended: Promise<void> | undefined
  const kill = () => (ended ??= close())
  onTestFinished(kill)
  return {
    address,
    tokens,
    port: new URL(address).port,
    kill,
    control: async (method, path, body) => {
      const answer = await fetch(`${controlAddress}${path}`, {
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

const log = v.object({ requests: v.array(v.object({ path: v.string() })) })

/** Longer than the app waits after the last figures until it checks whose they are, in milliseconds. */
const quietMs = 1_500

/**
 * Waits until all figures that came are saved for good: nothing is asked any more, and the list of instances was read after the
 * last of them. Whoever takes the service or the token away before that leaves figures that are added up with no others.
 */
export async function untilChecked(sandbox: Pick<RunningSandbox, 'control'>): Promise<void> {
  let [seen, since] = [-1, 0]
  const isChecked = async () => {
    const { requests } = v.parse(log, await sandbox.control('GET', '/requests'))
    const paths = requests.map(({ path }) => path).filter((path) => !/^(raw|download)/.test(path))
    if (paths.length !== seen) [seen, since] = [paths.length, performance.now()]
    const isFigure = (path: string) => /^(direct|script)\//.test(path)
    const last = paths.findLastIndex(isFigure)
    const isAfter = last === -1 || paths.lastIndexOf('interface/instances') > last
    return isAfter && performance.now() - since > quietMs
  }
  await expect.poll(isChecked, pollOptions).toBe(true)
}
