import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { addressMacros, addressPart, addressSql, severalSql } from '#main/archives/engine/relation.ts'
import { loggedAddress, readAddress, writeAddress } from '#shared/archives/network.ts'

const duckdb = DuckDBInstance.create(':memory:', { threads: '1' }).then(async (instance) => {
  const connection = await instance.connect()
  for (const macro of addressMacros) await connection.run(macro)
  return connection
})

/** The address that the engine reads in a cell, and whether it counts the cell as a list. */
async function inEngine(cell: string) {
  const table = `(SELECT a, ${addressSql('a')} AS ${addressPart('a')} FROM (SELECT $1::VARCHAR AS a))`
  const sql = `SELECT coalesce(a_usual, CASE WHEN is_four(a) THEN a END), ${severalSql('a')} FROM ${table}`
  const reader = await (await duckdb).runAndReadAll(sql, [cell])
  const [address, isSeveral] = reader.getRows()[0] ?? []
  return { address, isSeveral }
}

/** The same by the functions of the app. */
function inApp(cell: string) {
  const address = readAddress(cell)
  const [, , rest = ''] = new RegExp(loggedAddress).exec(cell) ?? []
  return { address: address ? writeAddress(address) : null, isSeveral: readAddress(rest) !== undefined }
}

const [one, other] = ['203.0.113.7', '198.51.100.9']

it.each([
  ...[`${one}|${other}`, `${one},${other}`, `${one};${other}`, `${one} ${other}`, `${one}\t${other}`],
  ...[
    `${one}, ${other}`,
    `${one} | ${other}`,
    `${one};; ${other}`,
    `${one}\r\n${other}`,
    `"${one}, ${other}"`,
  ],
  ...[`["${one}","${other}"]`, `for=${one}, for=${other}`, `unknown, ${one}, ${other}`, `-|${one}|${other}`],
  ...[`${one}, unknown, ${other}`, `${one}|-|${other}`, `${one}:443, [2001:db8::1]:443`],
])('lists several addresses: %j', async (cell) => {
  expect(await inEngine(cell)).toEqual({ address: one, isSeveral: true })
  expect(inApp(cell)).toEqual({ address: one, isSeveral: true })
})

it.each([
  ...[one, `unknown,${one}`, `-,${one}`, `unknown, ${one}`, `,${one}`, `unknown|${one}`, `-;${one}`],
  ...[`${one},`, `${one}, unknown`, `${one} GET /`, `for=${one};proto=https`, `${one}\n`, ` ${one} `],
  `${one}${' '.repeat(20)}\n`,
])('holds one address: %j', async (cell) => {
  expect(await inEngine(cell)).toEqual({ address: one, isSeveral: false })
  expect(inApp(cell)).toEqual({ address: one, isSeveral: false })
})

it.each(['', '-', 'unknown', `x,${one}`, `${one}x`, '1.2.3'])('holds no address: %j', async (cell) => {
  expect(await inEngine(cell)).toEqual({ address: null, isSeveral: false })
  expect(inApp(cell)).toEqual({ address: null, isSeveral: false })
})

// Where reading took time by the square of the length, this would take minutes.
it.each([' ', '\t', '\u00a0', ',', ' ,'])('reads a cell of a million characters: %j', (sign) => {
  const long = sign.repeat(1_000_000)
  for (const end of ['\n', 'x', `${other}\n`]) readAddress(`${one}${long}${end}`)
  expect(readAddress(`${one} ${long}\n`)).toEqual(readAddress(one))
})
