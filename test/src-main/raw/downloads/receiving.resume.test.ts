import { describe, expect, it } from 'vitest'
import { continuationOf, rangeHeaders, validatorOf } from '#main/raw/downloads/receiving.ts'

const date = 'Fri, 20 Nov 2026 12:00:00 GMT'

describe('what a file is continued by', () => {
  it.each([
    [{ etag: '"abc"' }, '"abc"'],
    [{ etag: '"abc"', 'last-modified': 'Fri, 20 Nov 2026 11:00:00 GMT', date }, '"abc"'],
    [{ 'last-modified': 'Fri, 20 Nov 2026 11:00:00 GMT', date }, 'Fri, 20 Nov 2026 11:00:00 GMT'],
    [
      { etag: 'W/"abc"', 'last-modified': 'Fri, 20 Nov 2026 11:00:00 GMT', date },
      'Fri, 20 Nov 2026 11:00:00 GMT',
    ],
    [{ etag: 'W/"abc"' }, null],
    [{ etag: 'abc' }, null],
    [{ etag: '"a"b"' }, null],
    [{ 'last-modified': date, date }, null],
    [{ 'last-modified': 'yesterday', date }, null],
    [{ 'last-modified': 'Fri, 20 Nov 2026 11:00:00 GMT' }, null],
    [{}, null],
  ])('%j: %j', (headers, validator) => expect(validatorOf(headers)).toBe(validator))

  it('is asked for with what is missing, or not at all', () => {
    expect(rangeHeaders({ got: 10, validator: '"a"' })).toEqual({ range: 'bytes=10-', 'if-range': '"a"' })
    expect(rangeHeaders({ got: 0, validator: '"a"' })).toEqual({})
    expect(rangeHeaders({ got: 10, validator: null })).toEqual({})
  })
})

describe('an answer to that', () => {
  const part = { got: 10, validator: '"a"' }
  it.each([
    [206, { 'content-range': 'bytes 10-19/20', etag: '"a"' }, { kind: 'body', from: 10, size: 20 }],
    [206, { 'content-range': 'bytes 10-19/20' }, { kind: 'body', from: 10, size: 20 }],
    [206, { 'content-range': 'bytes 10-19/20', etag: '"b"' }, { kind: 'changed' }],
    [206, { 'content-range': 'bytes 9-19/20', etag: '"a"' }, { kind: 'changed' }],
    [206, { 'content-range': 'bytes 10-15/20', etag: '"a"' }, { kind: 'changed' }],
    [206, { 'content-range': 'bytes 10-19/*', etag: '"a"' }, { kind: 'changed' }],
    [206, { 'content-type': 'multipart/byteranges; boundary=x' }, { kind: 'changed' }],
    [206, {}, { kind: 'changed' }],
    [200, { 'content-length': '20' }, { kind: 'body', from: 0, size: 20 }],
    [200, {}, { kind: 'body', from: 0, size: null }],
    [200, { 'content-length': '-4' }, { kind: 'body', from: 0, size: null }],
    [416, { 'content-range': 'bytes */10' }, { kind: 'whole' }],
    [416, { 'content-range': 'bytes */9' }, { kind: 'changed' }],
    [416, {}, { kind: 'changed' }],
    [204, {}, { kind: 'refused', status: 204 }],
    [403, {}, { kind: 'refused', status: 403 }],
  ])('%i %j is %j', (status, headers, found) => expect(continuationOf(status, headers, part)).toEqual(found))
})
