import * as v from 'valibot'
import type { Bindable, Reader, Row, Writer } from './database.ts'

/** JSON text of what a schema takes. */
export const json = <S extends v.GenericSchema>(schema: S) => v.pipe(v.string(), v.parseJson(), schema)

/** SQLite's 0 and 1. */
export const flag = v.pipe(
  v.picklist([0, 1]),
  v.transform((value) => value === 1),
)

/** Row schemas name columns in camel case; the file has them in snake case. */
function snakeCase(name: string): string {
  // Names become part of a statement.
  if (!/^[a-z]+$/i.test(name)) throw new TypeError(`Not the name of a column: ${name}`)
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** What a schema makes of a row, as a list of one. A row that it refuses is passed over. */
export function parseRow<T>(schema: v.GenericSchema<unknown, T>, row: Row | undefined): T[] {
  const read = v.safeParse(schema, row)
  return read.success ? [read.output] : []
}

/** Reads a table by the schema of its rows, whose entries are the columns. `rest` is what follows `FROM`. */
export function table<T>(
  name: string,
  schema: v.GenericSchema<unknown, T> & { readonly entries: Readonly<Record<string, unknown>> },
) {
  const columns = Object.keys(schema.entries).map((key) => `${name}.${snakeCase(key)} AS "${key}"`)
  const select = (rest: string) => `SELECT ${columns.join(', ')} FROM ${name} ${rest}`
  return {
    list: (from: Reader, rest: string, ...bound: Bindable[]): T[] =>
      from.rows(select(rest), ...bound).flatMap((row) => parseRow(schema, row)),
    first: (from: Reader, rest: string, ...bound: Bindable[]): T | undefined =>
      parseRow(schema, from.row(select(rest), ...bound))[0],
  }
}

/** Values by column, in camel case. A boolean is written as 0 or 1, an object as JSON. */
type Values = Readonly<Record<string, Bindable | boolean | object>>

const bindable = (value: Values[string]): Bindable => {
  if (typeof value === 'boolean') return Number(value)
  const isBound = typeof value !== 'object' || value === null || value instanceof Uint8Array
  return isBound ? value : JSON.stringify(value)
}

const boundTo = (values: Values): Bindable[] => Object.values(values).map(bindable)

const equals = (values: Values, joint: string): string =>
  Object.keys(values)
    .map((name) => `${snakeCase(name)} = ?`)
    .join(joint)

/** Inserts a row, unless it clashes with another. @returns whether it was inserted */
export function insert(into: Writer, name: string, values: Values): boolean {
  return into.write(`${insertion(name, values)} WHERE true ON CONFLICT DO NOTHING`, ...boundTo(values)) > 0
}

/** Inserts a row, or changes the one with the same key, but for the columns in `fixed`. */
export function put(
  into: Writer,
  name: string,
  key: readonly string[],
  values: Values,
  fixed: readonly string[] = [],
): void {
  const changed = Object.keys(values).filter((column) => !key.includes(column) && !fixed.includes(column))
  const changes = changed.map(snakeCase).map((column) => `${column} = excluded.${column}`)
  into.write(
    `${insertion(name, values)} WHERE true
     ON CONFLICT (${key.map(snakeCase).join(', ')}) DO UPDATE SET ${changes.join(', ')}`,
    ...boundTo(values),
  )
}

const insertion = (name: string, values: Values): string => {
  const columns = Object.keys(values).map(snakeCase)
  return `INSERT INTO ${name} (${columns.join(', ')}) SELECT ${columns.map(() => '?').join(', ')}`
}

/** Changes the rows that have all these values. @returns how many they are */
export const update = (into: Writer, name: string, where: Values, changes: Values): number =>
  into.write(
    `UPDATE ${name} SET ${equals(changes, ', ')} WHERE ${equals(where, ' AND ')}`,
    ...[...boundTo(changes), ...boundTo(where)],
  )

/** Deletes the rows that have all these values. @returns how many they were */
export const remove = (from: Writer, name: string, where: Values): number =>
  from.write(`DELETE FROM ${name} WHERE ${equals(where, ' AND ')}`, ...boundTo(where))

/** Whether there is a row that has all these values. */
export const has = (from: Reader, name: string, where: Values): boolean =>
  from.row(`SELECT 1 FROM ${name} WHERE ${equals(where, ' AND ')}`, ...boundTo(where)) !== undefined
