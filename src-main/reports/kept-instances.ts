import type { Instance, InstancesAnswer } from '../../src-shared/service/answers.ts'
import type { Instant } from '../../src-shared/values/ids.ts'

/** A kept page of instances. */
export type KeptPage = { readonly answer: InstancesAnswer; readonly fetchedAt: Instant }

export type InstancesAsked = {
  /** Part of a name; null for all. */
  readonly name: string | null
  readonly page: number
  readonly limit: number
}

/**
 * Answers a look-up from whatever pages are kept, for when the service cannot be asked: every instance that stands on
 * one of them, once, by a broad match on its name (specification: interface/instances).
 * @param pages the newest first
 * @returns null where no instance is kept
 */
export function instancesFromKept(pages: readonly KeptPage[], asked: InstancesAsked): KeptPage | null {
  const known = everyInstance(pages)
  if (known.length === 0) return null
  const matching = known.filter((each) => matches(each, asked.name))
  const first = (asked.page - 1) * asked.limit
  return {
    fetchedAt: Math.min(...pages.map((each) => each.fetchedAt)) as Instant,
    answer: {
      instances: matching.slice(first, first + asked.limit),
      query: { results: matching.length, pages: Math.ceil(matching.length / asked.limit), echo: {} },
    },
  }
}

/** The newest page says how an instance is called now. */
function everyInstance(pages: readonly KeptPage[]): Instance[] {
  const known = new Map<string, Instance>()
  for (const { answer } of pages) {
    for (const instance of answer.instances) {
      if (!known.has(instance.id)) known.set(instance.id, instance)
    }
  }
  return [...known.values()]
}

function matches(instance: Instance, name: string | null): boolean {
  if (name === null) return true
  return !instance.all && instance.name.toLowerCase().includes(name.toLowerCase())
}
