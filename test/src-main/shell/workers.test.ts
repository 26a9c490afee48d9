import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { sampleServiceIn, utilityChannel } from '#main/shell/workers.ts'

const folder = mkdtempSync(join(tmpdir(), 'desk-sample-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

const server = import.meta.resolve('#main/workers/rpc-server.ts')

/** A thread that answers with this function's body; `given` is what it is called with. */
function thread(name: string, body: string): string {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(
    file,
    `import { portOfThread, serveRpc } from '${server}'
     const port = portOfThread()
     serveRpc(port, { start: (given) => { ${body} } }, port.close)`,
  )
  return file
}

describe('the sample service', () => {
  it('starts once, with the time it is, and says where it is', async () => {
    const file = thread(
      'good',
      "return { address: 'http://127.0.0.1:1/' + given.now, tokens: { admin: 'sample' } }",
    )
    const start = sampleServiceIn(file, () => Date.UTC(2026, 10, 20, 23, 59))
    const [first, second] = await Promise.all([start(), start()])
    expect(first.address).toBe(`http://127.0.0.1:1/${Date.UTC(2026, 10, 20, 23, 59)}`)
    expect(second).toBe(first)
  })

  it.each([
    ['fails', "throw new Error('no port')"],
    ['answers something else', "return { address: 'http://127.0.0.1:1/' }"],
    ['breaks', "queueMicrotask(() => { throw new Error('broken') }); return new Promise(() => {})"],
    ['ends without a word', 'process.exit(3)'],
  ])('fails where its thread %s, and is started anew then', async (words, source) => {
    const start = sampleServiceIn(thread(words.replaceAll(' ', '-'), source))
    const first = start()
    await expect(first).rejects.toThrow('The sample service did not start')
    const second = start()
    expect(second).not.toBe(first)
    await expect(second).rejects.toThrow('The sample service did not start')
  })

  it('says when its thread has ended, and is started anew then', async () => {
    const file = thread(
      'dies',
      "setTimeout(() => process.exit(0)); return { address: 'http://127.0.0.1:1/', tokens: { admin: 'sample' } }",
    )
    const start = sampleServiceIn(file)
    const first = start()
    await (
      await first
    ).ended
    const second = start()
    expect(second).not.toBe(first)
    await (
      await second
    ).ended
  })
})

describe('a utility process', () => {
  it('that is ended before the system has started it does not go on', () => {
    const child = Object.assign(new EventEmitter(), { kill: vi.fn(() => false) })
    const channel = utilityChannel(() => child as never, 'script.cjs', [], 'Helper')
    channel.kill()
    child.kill.mockReturnValue(true)
    child.emit('spawn')
    expect(child.kill).toHaveBeenCalledTimes(2)
    channel.kill()
    child.emit('spawn')
    expect(child.kill).toHaveBeenCalledTimes(3)
  })
})
