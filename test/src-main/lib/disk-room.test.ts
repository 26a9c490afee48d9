import { describe, expect, it } from 'vitest'
import { diskRoom } from '#main/lib/disk-room.ts'

const gigabyte = 1_000_000_000
const bsize = 1000
const disk = (blocks: number, bavail: number) => () =>
  Promise.resolve({ blocks: blocks / bsize, bavail: bavail / bsize, bsize })

describe('the room on a disk', () => {
  it.each([
    ['of a large disk leaves 1 GB to others', 500 * gigabyte, 3 * gigabyte, 2 * gigabyte],
    ['of a small disk leaves a twentieth', 10 * gigabyte, 3 * gigabyte, 2.5 * gigabyte],
    ['is less than none where others have taken of it', 500 * gigabyte, 0.25 * gigabyte, -0.75 * gigabyte],
  ])('%s', async (_, all, free, room) => {
    expect(await diskRoom('/', disk(all, free))).toEqual({ room, free, reserve: free - room })
  })

  it('is unknown where the folder is not there', async () => {
    await expect(diskRoom('/nowhere/at/all')).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
