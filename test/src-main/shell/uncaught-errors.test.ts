import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { outliveReaders } from '../../../src-main/shell/uncaught-errors.ts'

it('goes on where nobody reads any more what is said', () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
  outliveReaders({ stdout, stderr } as unknown as Parameters<typeof outliveReaders>[0])
  expect(stdout.emit('error', broken)).toBe(true)
  expect(stderr.emit('error', broken)).toBe(true)
})
