/** A host that nobody may be led to. */
export const elsewhere = 'https://elsewhere.example'

/** Values that no honest service sends where something else is expected. */
const hostile: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  0.1,
  '',
  '0',
  '%',
  '%E0%A4%A',
  '%00',
  '+',
  '\uD800',
  '../decoys/x',
  '../../decoys/x',
  elsewhere,
  '__proto__',
  'constructor',
  '{"id":1,"name":{}}',
  '%7B%22id%22%3Anull%7D',
  '99999999999999999999999999999999',
  '1e9',
  'NaN',
  '2026-02-31T99:99:99+99:99',
  20260231,
  [],
  {},
  [[]],
  [[[[[[null]]]]]],
  { length: 5 },
  { toString: null, valueOf: 1, toJSON: 2, then: 3 },
]

type Random = () => number

const pick = <T>(from: readonly T[], random: Random): T => from[Math.floor(random() * from.length)] as T

/** Changes one place somewhere in a value: replaces, removes, doubles, renames or adds. The value is not touched. */
export function mutateValue(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.1) return pick(hostile, random)
  if (Array.isArray(value)) return mutateList(value as readonly unknown[], random)
  const entries = Object.entries(value)
  const place = Math.floor(random() * (entries.length + 1))
  const [name, member] = entries[place] ?? [pick(['extra', '__proto__', 'constructor', 'token'], random), 1]
  const choice = random()
  if (choice < 0.15) entries.splice(place, 1)
  else if (choice < 0.25) entries[place] = [`${name}x`, member]
  else entries[place] = [name, mutateValue(member, random)]
  return Object.fromEntries(entries)
}

function mutateList(list: readonly unknown[], random: Random): unknown[] {
  const place = Math.floor(random() * (list.length + 1))
  const choice = random()
  if (choice < 0.15) return list.toSpliced(place, 1)
  if (choice < 0.3) return list.toSpliced(place, 0, list[place], pick(hostile, random))
  if (choice < 0.4) return [...list].reverse()
  return list.toSpliced(place, 1, mutateValue(list[place], random))
}

/** Damages a text: cuts it, changes or adds characters, doubles a part, nests it without end. */
export function mutateText(text: string, random: Random): string {
  const at = Math.floor(random() * text.length)
  const to = at + Math.floor(random() * 20)
  switch (Math.floor(random() * 6)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return (
        text.slice(0, at) +
        pick(['"', '{', ']', '\\', '\u0000', '%', '<', '\uFEFF', '1e999', ','], random) +
        text.slice(at + 1)
      )
    case 2:
      return text.slice(0, to) + text.slice(at)
    case 3:
      return text.slice(0, at) + text.slice(to)
    case 4:
      return text.replace(/\d+/g, (number) => (random() < 0.2 ? '1e999' : number))
    default:
      return text.replace(/:(?:\d+|null|false)/, `:${'['.repeat(20_000)}${']'.repeat(20_000)}`)
  }
}

/** The same bytes with a few of their bits turned, `max` at most, or an end that is missing. */
export function flipped(bytes: Buffer, random: Random, max = 8): Buffer {
  const damaged = Buffer.from(bytes)
  for (let times = 1 + Math.floor(random() * max); times > 0; times -= 1) {
    const at = Math.floor(random() * damaged.length)
    damaged[at] = (damaged[at] ?? 0) ^ (1 << Math.floor(random() * 8))
  }
  return random() < 0.1 ? damaged.subarray(0, Math.floor(random() * damaged.length)) : damaged
}
