import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sampleServiceIn } from '#main/shell/sample-service.ts'

const folder = mkdtempSync(join(tmpdir(), 'desk-sample-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** A thread that says one thing to whoever started it. */
function thread(name: string, source: string): string {
  const file = join(folder, `${name}.cjs`)
  writeFileSync(file, `const { parentPort, workerData } = require('node:worker_threads')\n${source}`)
  return file
}

describe('the sample service', () => {
  it('starts once, with the time it is, and says where it is', async () => {
    const file = thread(
      'good',
      `parentPort.postMessage({ kind: 'started', address: 'http://127.0.0.1:1/' + workerData.now, tokens: { admin: 'sample' } })
       parentPort.once('message', () => {})`,
    )
    const start = sampleServiceIn(file, () => Date.UTC(2026, 10, 20, 23, 59))
    const [first, second] = await Promise.all([start(), start()])
    expect(first.address).toBe(`http://127.0.0.1:1/${Date.UTC(2026, 10, 20, 23, 59)}`)
    expect(second).toBe(first)
  })

  it.each([
    ['says that it failed', "parentPort.postMessage({ kind: 'failed', message: 'no port' })"],
    ['throws', "throw new Error('broken')"],
    ['ends without a word', 'process.exit(3)'],
  ])('fails where its thread %s, and is started anew then', async (words, source) => {
    const start = sampleServiceIn(thread(words.replaceAll(' ', '-'), source))
    const first = start()
    await expect(first).rejects.toThrow('The sample service did not start')
    const second = start()
    expect(second).not.toBe(first)
    await expect(second).rejects.toThrow('The sample service did not start')
  })
})
