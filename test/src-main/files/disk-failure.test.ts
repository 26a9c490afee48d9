import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { destroyStream } from '#main/files/disk-failure.ts'
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
