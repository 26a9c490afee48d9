import type { EndpointPath } from '#shared/api/endpoints.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { Turn } from '../contracts/behaviour.ts'

/** A token's scope that changes with the number of requests. */
export type Turns = {
  /** The instances that the next request sees; null without turns. A new list of turns starts with its first. */
  readonly next: (turns: readonly Turn[], path: EndpointPath) => readonly InstanceId[] | null
}

export function createTurns(): Turns {
  let of: readonly Turn[] = []
  let place = 0
  let requests = 0
  let isSeen = false
  return {
    next: (turns, path) => {
      if (turns !== of) [of, place, requests, isSeen] = [turns, 0, 0, false]
      const turn = turns[place]
      if (turn && turns[place + 1] && isSeen && requests >= turn.requests)
        [place, requests, isSeen] = [place + 1, 0, false]
      requests += 1
      isSeen ||= path === 'interface/instances'
      return turns[place]?.instances ?? null
    },
  }
}
