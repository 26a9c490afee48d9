import { linkSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasName } from '#main/watch/schedules/begun-files.ts'
import { temporaryFolder } from '../../database/helpers.ts'

const draft = '.traffic-desk-1.part'
const name = 'Report.csv'

function folderWith(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder()
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  const begun = { item: 'v', folder, draft, name, size: 4, oldest: null, isNamed: false }
  return { folder, begun, names: () => readdirSync(folder).toSorted() }
}

describe('a file whose name was decided when the app ended', () => {
  it('has none if only its draft is there, which goes', async () => {
    const { begun, names } = folderWith({ [draft]: 'ours' })
    expect(await hasName(begun)).toBe(false)
    expect(names()).toEqual([])
  })

  it('has it if the draft is linked under it', async () => {
    const { folder, begun, names } = folderWith({ [draft]: 'ours' })
    linkSync(join(folder, draft), join(folder, name))
    expect(await hasName(begun)).toBe(true)
    expect(names()).toEqual([name])
  })

  it('has it if the draft is gone, and a file of its size is there', async () => {
    const { begun } = folderWith({ [name]: 'ours' })
    expect(await hasName(begun)).toBe(true)
  })

  it('gets it where the name was taken by an empty file', async () => {
    const { folder, begun, names } = folderWith({ [draft]: 'ours', [name]: '' })
    expect(await hasName(begun)).toBe(true)
    expect(names()).toEqual([name])
    expect(readFileSync(join(folder, name), 'utf8')).toBe('ours')
  })

  it('has none if the file of that name is another one, which stays', async () => {
    const { folder, begun, names } = folderWith({ [draft]: 'ours', [name]: 'mine' })
    expect(await hasName(begun)).toBe(false)
    expect(names()).toEqual([name])
    expect(readFileSync(join(folder, name), 'utf8')).toBe('mine')
    expect(await hasName({ ...begun, size: 5 })).toBe(false)
  })

  it('has none if nothing is there', async () => {
    const { begun } = folderWith({})
    expect(await hasName(begun)).toBe(false)
  })
})
