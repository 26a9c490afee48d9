import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { storeFailure, troubleOf } from '#main/database/sqlite/database.ts'
import {
  asDiskFailure,
  destroyStream,
  diskMessage,
  diskReasonOf,
  isDiskFull,
} from '#main/files/disk-failure.ts'
import type { DiskPlace } from '#main/files/disk-failure.ts'
import { deskFailure } from '#shared/api/failure.ts'
import { temporaryFolder } from '../database/helpers.ts'

// An error of a stream that nobody listens to would end the process: Vitest fails the run for it.
it.each([
  ['before the file is open', (): Promise<void> => Promise.resolve()],
  ['with bytes on their way', (opened: Promise<void>) => opened],
])('closes a stream that is given up %s', async (_, until) => {
  const stream = createWriteStream(join(temporaryFolder(), 'table.csv'))
  const opened = new Promise<void>((resolve) => stream.once('open', () => resolve()))
  stream.write('one\n')
  await until(opened)
  stream.write('two\n')
  await destroyStream(stream)
  expect(stream.closed).toBe(true)
})

it('closes a stream that the disk refused', async () => {
  const stream = createWriteStream(join(temporaryFolder(), 'no such folder', 'table.csv'))
  const refused = new Promise((resolve) => stream.once('error', resolve))
  expect(await refused).toMatchObject({ code: 'ENOENT' })
  await destroyStream(stream)
  expect(stream.closed).toBe(true)
})

const coded = (code: string) => Object.assign(new Error('It failed'), { code })

describe('words for a disk that refuses', () => {
  it.each<[DiskPlace, string, string | null]>([
    ['folder', 'ENOSPC', 'choose another folder'],
    ['folder', 'EROFS', 'No permission'],
    // A connection fails so too, which is no matter of the disk.
    ['folder', 'ETIMEDOUT', null],
    ['folder', 'EBUSY', null],
    ['share', 'EDQUOT', 'Published files stay readable'],
    ['share', 'ETIMEDOUT', 'on a share, connect it'],
    ['share', 'ENOTDIR', 'on a share, connect it'],
    ['share', 'EUNKNOWN', "Can't use the folder"],
    ['profile', 'ENOENT', 'Check its permissions'],
    ['profile', 'SQLITE_FULL', 'disk is full'],
    ['profile', 'SQLITE_IOERR_SHMSIZE', 'disk is full'],
    ['profile', 'SQLITE_IOERR_WRITE', '(SQLITE_IOERR_WRITE)'],
    ['profile', 'SQLITE_READONLY_DBMOVED', 'Check its permissions'],
    ['profile', 'SQLITE_ERROR', null],
    ['profile', 'ELOOP', null],
    ['figures', 'ENOSPC', 'no more days'],
    ['rows', 'ENOENT', 'moved, renamed or deleted'],
  ])('are those of the place: %s, %s', (place, code, words) => {
    const error = coded(code)
    const failure = asDiskFailure(error, place)
    if (words === null) expect(failure).toBe(error)
    else {
      const message: unknown = expect.stringContaining(words)
      expect(failure).toMatchObject({ failure: { kind: 'disk', message }, cause: error })
    }
  })

  it('contain a path as it is', () => {
    expect(diskMessage('start', 'readOnly', '/home/$&/desk')).toContain('read-only: /home/$&/desk. ')
  })

  it('leave an error without a code, and a failure, as they are', () => {
    const failure = deskFailure('cancelled', 'It was cancelled.')
    expect(asDiskFailure(failure, 'share')).toBe(failure)
    expect(diskReasonOf(new Error('ENOSPC'))).toBeUndefined()
  })

  it('follow a full disk through the failure that it caused', () => {
    expect(isDiskFull(asDiskFailure(coded('EDQUOT')))).toBe(true)
    expect(isDiskFull(asDiskFailure(coded('EACCES')))).toBe(false)
  })

  it.each([
    ['SQLITE_CORRUPT_VTAB', 'damaged', 'disk'],
    ['SQLITE_NOTADB', 'damaged', 'disk'],
    ['SQLITE_BUSY_SNAPSHOT', 'disk', 'disk'],
    ['SQLITE_ERROR', 'mistake', 'internal'],
    ['SQLITE_CORRUPTED', 'mistake', 'internal'],
  ])('tell a damaged file and a mistake from the disk: %s', (code, trouble, kind) => {
    expect(troubleOf(coded(code))).toBe(trouble)
    expect(storeFailure(coded(code)).failure.kind).toBe(kind)
  })
})
