import { COMMON_HOSTS, WIDE_HOSTS, paths } from './catalogue/hosts.ts'
import { sandboxInstances } from './catalogue/instances.ts'
import type { EventColumns } from './columns.ts'
import { drawBelow, drawWeighted, fallingWeights, weightedTable } from './random.ts'
import type { Random } from './random.ts'
import { BAD, DROP } from './verdicts.ts'

const hostTable = weightedTable(fallingWeights(COMMON_HOSTS, 0.75))
const pathTable = weightedTable([0, ...fallingWeights(paths.length - 1, 0.6)])

/** The places of the wide instance's responses. */
function wideResponses({ instance, verdict }: EventColumns): number[] {
  const wide = sandboxInstances.findIndex((sandboxInstance) => sandboxInstance.wide)
  const found: number[] = []
  for (let event = 0; event < instance.length; event++) {
    const judged = verdict[event] as number
    if (instance[event] === wide && judged > DROP && judged <= BAD) found.push(event)
  }
  return found
}

/**
 * Gives every event its referrer. The wide instance meets each of its hosts at least once, evenly over the days: a new
 * one at every so many responses, and in between one that it has met before, mostly a common one.
 */
export function assignReferrers(columns: EventColumns, random: Random): void {
  const { host, path } = columns
  for (let event = 0; event < host.length; event++) host[event] = drawWeighted(random, hostTable)
  const responses = wideResponses(columns)
  if (responses.length < WIDE_HOSTS) throw new RangeError('Too few responses to meet every host')
  let met = 0
  responses.forEach((event, index) => {
    const due = Math.floor(((index + 1) * WIDE_HOSTS) / responses.length)
    if (due > met) host[event] = met++
    else if (drawBelow(random, 2) === 0) host[event] = drawBelow(random, met)
  })
  for (let event = 0; event < host.length; event++) {
    path[event] = host[event] === 0 ? 0 : drawWeighted(random, pathTable)
  }
}
