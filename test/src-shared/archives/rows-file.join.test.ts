import { expect, it } from 'vitest'
import { joinByRole } from '#shared/archives/rows-file.ts'

const column = (name: string, standard: string | null = null) => ({ name, kind: 'text', standard }) as const
const named = (files: readonly { readonly columns: readonly { readonly name: string }[] }[]) =>
  joinByRole(files as Parameters<typeof joinByRole>[0]).map(({ columns }) => columns.map(({ name }) => name))

it('calls what columns hold as the first file does', () => {
  const ours = { columns: [column('REMOTE ADDRESS', 'remote_address'), column('X')] }
  const theirs = { columns: [column('Client IP', 'remote_address'), column('Y')] }
  expect(named([ours, theirs])).toEqual([
    ['REMOTE ADDRESS', 'X'],
    ['REMOTE ADDRESS', 'Y'],
  ])
  expect(named([theirs, ours])[1]).toEqual(['Client IP', 'X'])
})

it('leaves names where a file has two columns of a role, or another column of that name', () => {
  const two = { columns: [column('IP', 'remote_address'), column('IP Address', 'remote_address')] }
  const one = { columns: [column('Client IP', 'remote_address')] }
  expect(named([two, one])).toEqual([['IP', 'IP Address'], ['Client IP']])
  const taken = { columns: [column('Client IP', 'source'), column('Address', 'remote_address')] }
  expect(named([one, taken])[1]).toEqual(['Client IP', 'Address'])
})

it('never calls two columns of a file alike', () => {
  const first = { columns: [column('id', 'click_id')] }
  const second = { columns: [column('id', 'sub_id')] }
  const third = { columns: [column('click', 'click_id'), column('sub', 'sub_id')] }
  expect(named([first, second, third])).toEqual([['id'], ['id'], ['id', 'sub']])
})

it('leaves the name of a column that holds texts where others hold moments', () => {
  const moments = { columns: [{ name: 'TIMESTAMP', kind: 'time', standard: 'timestamp' }] }
  const clocks = { columns: [column('Time', 'timestamp')] }
  expect(named([moments, clocks])).toEqual([['TIMESTAMP'], ['Time']])
})
