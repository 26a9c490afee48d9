import * as v from 'valibot'
import { decodeText } from './text.ts'
import type { AccessToken } from './token.ts'
import { fitToShow, parsedBody } from './words.ts'

/** A name that feedback has something against, and what: words fit to show, empty where it says nothing. */
export type NamedFault = readonly [name: string, words: string]

/** More than a request has parameters. */
const MOST = 40
const DEEPEST = 4

const refusal = v.object({ feedback: v.object({ fail: v.record(v.string(), v.unknown()) }) })

/** The texts in a value, in its order; what lies deeper than any service puts words is dropped. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth >= DEEPEST) return []
  const within: unknown[] = Object.values(value)
  return within.slice(0, MOST).flatMap((each) => textsIn(each, depth + 1))
}

/**
 * What the body of a refusal has against what was asked, by name (specification: errors, feedback), without the token.
 * @returns nothing where the body is no refusal of that form
 */
export function faultsIn(body: string, token: AccessToken): readonly NamedFault[] {
  const found = v.safeParse(refusal, parsedBody(body, token))
  if (!found.success) return []
  return Object.entries(found.output.feedback.fail)
    .slice(0, MOST)
    .map(([name, value]) => {
      const words = textsIn(value).map((text) => decodeText(text).trim())
      return [fitToShow(decodeText(name), token), fitToShow(words.filter(Boolean).join(' '), token)]
    })
}
