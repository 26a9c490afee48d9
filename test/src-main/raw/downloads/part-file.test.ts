import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PartWriter, openPart } from '#main/raw/downloads/part-file.ts'
import { temporaryFolder } from './helpers.ts'

describe('a part that is written', () => {
  it('holds no memory back when it fails: whoever reads into it would wait for ever', async () => {
    const file = openPart(join(temporaryFolder(), 'a.zip.part'), 0)
    onTestFinished(() => closeSync(file))
    let refuse: (error: Error) => void = () => undefined
    const portion = () => new Promise<number>((_, reject) => (refuse = reject))
    const writer = new PartWriter({
      ...{ file: Promise.resolve(file), from: 0, max: 100, portion },
      wrote: () => undefined,
    })
    let released = 0
    for (let piece = 0; piece < 3; piece += 1) writer.take(Buffer.from('piece'), () => (released += 1))
    await Promise.resolve()
    expect(released).toBe(0)
    refuse(new Error('The disk is full'))
    await expect(writer.end()).rejects.toThrow('The disk is full')
    expect(released).toBe(3)
  })
})
