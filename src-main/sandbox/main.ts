import { parseArgs } from 'node:util'
import { dayAt, dayFromWire } from '#shared/values/day.ts'
import { createSandbox } from './sandbox.ts'
import type { SandboxOptions } from './sandbox.ts'

/** Runs a sandbox as a process. Prints one JSON line with addresses and tokens, then serves until ended. */

const USAGE = `Usage: npm run sandbox -- [--port N] [--control-port N] [--seed N] [--today YYYYMMDD]
  --port          port of the service; 0, the default, takes a free one
  --control-port  port of the control server; likewise
  --seed          whole number that decides events and tokens; 7 by default
  --today         the day it is in the sandbox; the real day in UTC by default
`

function whole(text: string, name: string, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN
  if (!(value <= max)) throw new RangeError(`--${name} has to be a whole number from 0 to ${max}`)
  return value
}

function readOptions(args: string[]): SandboxOptions {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '0' },
      'control-port': { type: 'string', default: '0' },
      seed: { type: 'string', default: '7' },
      today: { type: 'string' },
    },
  })
  const today = values.today === undefined ? dayAt(Date.now(), 'UTC') : dayFromWire(values.today)
  if (today === undefined) throw new RangeError('--today has to be a day of the calendar, written YYYYMMDD')
  return {
    port: whole(values.port, 'port', 65_535),
    controlPort: whole(values['control-port'], 'control-port', 65_535),
    seed: whole(values.seed, 'seed', 0xffff_ffff),
    today,
  }
}

/** @returns the options; undefined after printing an error if they are invalid */
function optionsOrUsage(): SandboxOptions | undefined {
  try {
    return readOptions(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    process.exitCode = 2
    return undefined
  }
}

async function run(options: SandboxOptions): Promise<void> {
  const { address, tokens, controlAddress, downloadAddress, close } = await createSandbox(options)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void close())
  process.stdout.write(
    `${JSON.stringify({ address, tokens, control: controlAddress, downloads: downloadAddress })}\n`,
  )
}

const options = optionsOrUsage()
if (options) {
  run(options).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })
}
