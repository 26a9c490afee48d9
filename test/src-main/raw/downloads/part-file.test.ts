import { closeSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PartWriter, openPart } from '#main/raw/downloads/part-file.ts'
import { temporaryFolder } from './helpers.ts'

function part(from: number, max: number, portion: () => Promise<number>) {
  const path = join(temporaryFolder(), 'a.zip.part')
  const file = openPart(path, from)
  onTestFinished(() => closeSync(file))
  const wrote: number[] = []
  const writer = new PartWriter(file, { from, max, portion, wrote: (length) => wrote.push(length) })
  return { writer, wrote, text: () => readFileSync(path, 'utf8') }
}

describe('a part that is written', () => {
  it('takes no more than was granted at a time', async () => {
    const lengths: number[] = []
    const { writer, wrote, text } = part(0, 100, () => {
      lengths.push(writer.length)
      return Promise.resolve(3)
    })
    await writer.write(Buffer.from('abcdefgh'))
    await writer.write(Buffer.from('i'))
    await writer.write(Buffer.from('j'))
    expect(text()).toBe('abcdefghij')
    expect(lengths).toEqual([0, 3, 6, 9])
    expect(wrote).toEqual([3, 6, 8, 9, 10])
  })

  it('never gets longer than its maximum, and holds nothing of what is too much', async () => {
    const { writer, text } = part(0, 5, () => Promise.resolve(100))
    await writer.write(Buffer.from('abcd'))
    await expect(writer.write(Buffer.from('ef'))).rejects.toThrow('more came than belongs to it')
    expect(text()).toBe('abcd')
  })

  it('fails with what the portion fails with', async () => {
    const { writer } = part(0, 100, () => Promise.reject(new Error('The disk is full')))
    await expect(writer.write(Buffer.from('a'))).rejects.toThrow('The disk is full')
  })
})
