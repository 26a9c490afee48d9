import { describe, expect, it } from 'vitest'
import {
  ChangedFile,
  RefusedStatus,
  WorkerEnded,
  errorOf,
  messageOf,
  classifyError,
} from '#main/raw/downloads/trouble.ts'
import { BrokenArchive, HostileArchive } from '#main/files/zip-errors.ts'
import { NoSpace } from '#main/lib/disk-room.ts'
import { ExchangeEnded } from '#main/api/transport/exchange.ts'
import { DeskFailure } from '#shared/api/failure.ts'

const coded = (code: string, syscall?: string) =>
  Object.assign(new Error('It failed'), { code, ...(syscall !== undefined && { syscall }) })

describe('trouble on its way out of the thread', () => {
  it.each<[string, Error]>([
    ['a broken archive', new BrokenArchive('it is not whole')],
    ['a hostile archive', new HostileArchive('there is a link in it')],
    ['another file', new ChangedFile('It is another file')],
    ['a refusal', new RefusedStatus(503, 'files.example')],
    ['a refusal that may mean an old address', new RefusedStatus(403, 'files.example')],
    ['silence', new ExchangeEnded('idle', 60)],
    ['a connection that is refused', coded('ECONNREFUSED', 'connect')],
    ['a firewall', coded('EACCES', 'connect')],
    ['a connection that broke', coded('ETIMEDOUT', 'read')],
    ['several addresses that refuse', new AggregateError([coded('EHOSTUNREACH', 'connect')])],
    ['a proxy', Object.assign(new Error('Proxy response (407)'), { code: 'UND_ERR_ABORTED' })],
    ['a certificate', coded('CERT_HAS_EXPIRED')],
    ['a full disk', coded('ENOSPC', 'write')],
    ['no room', new NoSpace({ kind: 'disk', message: 'Not enough space on the disk.' })],
    ['a folder that may not be written to', coded('EACCES', 'open')],
    ['an address', new DeskFailure({ kind: 'malformed', message: 'It is none.' })],
    ['a mistake', new TypeError('undefined is not a function')],
  ])('means the same on the other side: %s', (_, error) => {
    const arrived = errorOf(structuredClone(messageOf(error)))
    expect(classifyError(arrived, 'files.example')).toEqual(classifyError(error, 'files.example'))
  })
})

describe('the reason that is shown until the next attempt', () => {
  it.each<[string, Error]>([
    ['an address that the host refuses', new RefusedStatus(403, 'files.example')],
    ['a host in trouble', new RefusedStatus(503, 'files.example')],
    ['another file', new ChangedFile('It is another file')],
    ['a broken archive', new BrokenArchive('it is not whole')],
    ['a process that ended', new WorkerEnded(coded('SIGKILL'))],
  ])('is not that the service is offline: %s', (_, error) => {
    expect(classifyError(error, 'files.example')).toMatchObject({ kind: 'again', why: 'interrupted' })
  })

  it.each<[string, Error]>([
    ['a connection that is refused', coded('ECONNREFUSED', 'connect')],
    ['a connection that broke', coded('ECONNRESET', 'read')],
  ])('is that the service is offline: %s', (_, error) => {
    expect(classifyError(error, 'files.example')).toMatchObject({ kind: 'again', why: 'connection' })
  })
})
