import { Refusal } from '../contracts/handler.ts'

const FIELD = /^([A-Za-z_]+)(?:\[(\d{0,3})\](?:\[([A-Za-z_]+)\])?)?$/

/**
 * Reads a form body (field notes: request bodies): plain fields, `name[]=...` for a list, `filters[0][column]=...` for a
 * list of objects. Values stay text. A plain field given twice counts as given last.
 * @throws Refusal 400 for a field name of another form
 */
export function parseFormBody(body: string): Record<string, unknown> {
  const plain = new Map<string, string>()
  const lists = new Map<string, string[]>()
  const objects = new Map<string, Map<string, Map<string, string>>>()
  for (const [field, value] of new URLSearchParams(body)) {
    const [, name, place, member] = FIELD.exec(field) ?? []
    if (name === undefined) throw new Refusal(400, `The form field ${field} is not understood`)
    if (place === undefined) plain.set(name, value)
    else if (member === undefined) lists.set(name, [...(lists.get(name) ?? []), value])
    else {
      const list = objects.get(name) ?? new Map<string, Map<string, string>>()
      const object = list.get(place) ?? new Map<string, string>()
      objects.set(name, list.set(place, object.set(member, value)))
    }
  }
  const listed = [...objects].map(([name, list]): [string, unknown] => [name, inOrder(list)])
  return Object.fromEntries([...plain, ...lists, ...listed])
}

function inOrder(list: ReadonlyMap<string, ReadonlyMap<string, string>>): unknown[] {
  return [...list]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([, object]) => Object.fromEntries(object))
}
