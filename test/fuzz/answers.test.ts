import { describe, expect, it } from 'vitest'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import type { TableAnswer } from '#shared/api/answers.ts'
import type { AnswerKind, EndpointPath } from '#shared/api/endpoints.ts'
import { endpointEntry, endpointPaths } from '#shared/api/endpoints.ts'
import {
  browsersAnswer,
  instancesAnswer,
  overviewAnswer,
  rawAddressAnswer,
  rawDoneAnswer,
  rawReportAnswer,
  rawRequestedAnswer,
  rawTableAnswer,
  sessionsAnswer,
} from '../helpers/answers.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { scriptedServer } from '../helpers/scripted-server.ts'
import { clientFor, week } from '../helpers/service-client.ts'
import { mutateText, mutateValue } from './mutate.ts'
import { surroundings } from './surroundings.ts'

const chart = [
  ['Date', 'Bad'],
  ['20261114', 4],
]

/** An answer of each kind, as it should be. */
const sound: Record<AnswerKind, unknown> = {
  overview: { ...overviewAnswer, chart },
  table: { ...browsersAnswer, chart },
  instances: instancesAnswer,
  sources: { sources: ['All+Sources', 'a%2Bb'], query: instancesAnswer.query },
  campaigns: { campaigns: ['All+Campaigns', 'c'], query: instancesAnswer.query },
  'raw-table': rawTableAnswer,
  'raw-report': rawReportAnswer,
  'raw-requested': rawRequestedAnswer,
  'raw-done': rawDoneAnswer,
  'raw-address': rawAddressAnswer,
}

const soundFor = (path: EndpointPath) =>
  path.endsWith('/sessions') ? sessionsAnswer : sound[endpointEntry(path).answer]

type Outcome = 'decoded' | 'malformed'

/** Decodes; whatever else than an answer or a failure of kind `malformed` fails the test. */
function outcomeOf(path: EndpointPath, text: string): Outcome {
  try {
    const answer: unknown = decodeAnswer(path, text)
    // What was decoded crosses threads and the bridge.
    structuredClone(answer)
    if (endpointEntry(path).answer === 'table') checkTable(answer as TableAnswer)
    return 'decoded'
  } catch (error) {
    if (error instanceof ServiceFailure && error.failure.kind === 'malformed') return 'malformed'
    throw new Error(`${path} broke on ${text.slice(0, 2000)}`, { cause: error })
  }
}

const isCell = (cell: unknown) => cell === null || typeof cell === 'string' || Number.isFinite(cell)

/** What everybody who reads a table relies on. */
function checkTable({ table, total }: TableAnswer): void {
  for (const row of table.rows.concat(table.all ?? [])) {
    const sane = row.cells.length === table.headers.length - 1 && row.cells.every(isCell)
    if (!sane) throw new Error('A row does not fit its headers')
  }
  // A total that came as a text stays one, as a cell does.
  if (!Object.values(total).every(isCell)) {
    throw new Error('A total is no cell')
  }
}

/** A damaged answer of an endpoint: its text, or its structure once to three times. */
function damaged(path: EndpointPath, random: () => number): string {
  const text = JSON.stringify(soundFor(path))
  if (random() < 0.3) return mutateText(text, random)
  let value: unknown = soundFor(path)
  for (let times = 1 + Math.floor(random() * 3); times > 0; times -= 1) value = mutateValue(value, random)
  return JSON.stringify(value) ?? ''
}

describe('answers', () => {
  it.each(endpointPaths)('of %s are decoded where nothing is wrong with them', (path) => {
    expect(outcomeOf(path, JSON.stringify(soundFor(path)))).toBe('decoded')
  })

  it('that were damaged are decoded or malformed, and nothing else', () => {
    console.log(`damaged answers: PROPERTY_SEED=${seed}`)
    const random = randomFrom(seed)
    const counts: Record<Outcome, number> = { decoded: 0, malformed: 0 }
    const rounds = runs(10_000, 100_000)
    for (let made = 0; made < rounds; made += 1) {
      const path = endpointPaths[made % endpointPaths.length] as EndpointPath
      counts[outcomeOf(path, damaged(path, random))] += 1
    }
    console.log(`${counts.decoded} decoded, ${counts.malformed} malformed`)
    expect(counts.decoded + counts.malformed).toBe(rounds)
    // Were nearly all of one kind, the damage would be too small or too great to find anything.
    expect(Math.min(counts.decoded, counts.malformed)).toBeGreaterThan(1000)
  })

  it('that were damaged end a call in an answer or a failure, over real HTTP, and lead nowhere else', async () => {
    const around = surroundings([])
    const random = randomFrom(seed + 1)
    const server = await scriptedServer((_, response) => {
      const status = random() < 0.9 ? 200 : 200 + Math.floor(random() * 400)
      response.writeHead(status, { location: 'https://elsewhere.example' })
      response.end(damaged('script/browsers', random))
    })
    const client = clientFor(server.address)
    const kinds = new Set<string>()
    for (let asked = 0; asked < 400; asked += 4) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 4 }, () => client.call('script/browsers', week)),
      )
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(ServiceFailure)
        kinds.add(outcome.status)
      }
    }
    await client.close()
    await server.close()
    expect(kinds).toEqual(new Set(['fulfilled', 'rejected']))
    around.check([new URL(server.address).host])
  })
})
