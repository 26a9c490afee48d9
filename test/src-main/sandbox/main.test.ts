import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import type { SandboxCalls } from '#main/sandbox/worker.ts'
import { rpcClient, threadChannel } from '#main/workers/rpc-client.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { ask } from './asking.ts'

const folder = new URL('../../../src-main/sandbox/', import.meta.url)
const ending: (() => unknown)[] = []

afterEach(async () => {
  await Promise.all(ending.splice(0).map((end) => end()))
})

function run(...args: string[]) {
  const child = spawn(process.execPath, [new URL('main.ts', folder).pathname, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  ending.push(() => child.kill('SIGKILL'))
  return { child, ended: once(child, 'close'), said: text(child.stdout), complained: text(child.stderr) }
}

describe('npm run sandbox', () => {
  it('prints one JSON line, serves, and ends when it is told to', async () => {
    const { child, ended, said } = run('--port', '0', '--seed', '7', '--today', '20261120')
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
    const line = JSON.parse(String(chunk)) as Parameters<typeof ask>[0] & { control: string }
    const { status, body } = await ask(line, 'direct/overview', { start: 20261120, end: 20261120 })
    expect([status, Number(body.total['nonsuspect']) > 0]).toEqual([200, true])
    expect((await fetch(`${line.control}/state`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect((await said).trim().split('\n')).toHaveLength(1)
  })

  it.each([
    ['--seed', 'x'],
    ['--port', '70000'],
    ['--today', '20260230'],
    ['--tokens', '3'],
    ['--port', ''],
    ['stray', 'words'],
  ])('says how it is used where it cannot read %s %s', async (...args) => {
    const { ended, said, complained } = run(...args)
    expect(await ended).toEqual([2, null])
    expect([await said, await complained]).toEqual(['', expect.stringContaining('Usage:')])
  })

  it('says so and ends where its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    ending.push(() => other.close())
    await once(other, 'listening')
    const { ended, complained } = run('--port', String((other.address() as AddressInfo).port))
    expect(await ended).toEqual([1, null])
    expect(await complained).toContain('EADDRINUSE')
  })
})

describe('the worker', () => {
  const gone = () => new DeskFailure({ kind: 'internal', message: 'gone' })
  const start = async (options: Parameters<SandboxCalls['start']>[0]) => {
    const client = rpcClient<SandboxCalls>({
      open: () => threadChannel(new URL('worker.ts', folder), {}),
      gone,
      closed: gone,
    })
    ending.push(() => client.close())
    return { client, started: await client.call('start', options) }
  }

  it('starts a sandbox and stops it', async () => {
    const { client, started } = await start({ seed: 7, now: Date.UTC(2026, 10, 20, 12) })
    expect((await ask(started, 'interface/instances')).status).toBe(200)
    await client.close()
    await expect(ask(started, 'interface/instances')).rejects.toThrow()
  })

  it('has nothing that switches it, and tokens of its own for each start', async () => {
    const one = await start({ seed: 7, now: Date.UTC(2026, 10, 20, 12) })
    const other = await start({ seed: 7, now: Date.UTC(2026, 10, 20, 12) })
    expect(Object.keys(one.started).sort()).toEqual(['address', 'tokens'])
    const tokens = [one.started, other.started].flatMap((each) => Object.values(each.tokens))
    expect(new Set(tokens).size).toBe(6)
    // Nobody but whoever started it is let in, and its only other server gives archives out.
    const foreign = { ...other.started, tokens: one.started.tokens }
    expect((await ask(foreign, 'interface/instances')).status).toBe(401)
  })
})
